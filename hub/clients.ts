import { basename, join } from 'node:path';

/** A file in which an MCP client may keep its servers. */
export interface Place {
  readonly path: string;
  /** The project that it belongs to, in which its servers run; `undefined` where it counts for the whole person. */
  readonly project?: string;
}

/** Whose files are looked for. */
export interface Person {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The working directory, for the files of a project. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** An MCP client whose servers can be imported. */
export interface ClientProgram {
  readonly name: string;
  readonly title: string;
  places(person: Person): readonly Place[];
}

const VSCODE_BUILDS = ['Code', 'Code - Insiders', 'VSCodium'];

/** The clients that are known, and where each keeps its servers by its documentation. */
export const CLIENT_PROGRAMS: readonly ClientProgram[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    places: (person) => [{ path: join(applicationFolder(person), 'Claude', 'claude_desktop_config.json') }],
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    places: ({ home, environment, folder }) => [
      { path: join(environment['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json') },
      { path: join(folder, '.mcp.json'), project: folder },
    ],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    places: ({ home, folder }) => [
      { path: join(home, '.cursor', 'mcp.json') },
      { path: join(folder, '.cursor', 'mcp.json'), project: folder },
    ],
  },
  {
    name: 'vscode',
    title: 'VS Code',
    places: (person) => [
      ...VSCODE_BUILDS.map((build) => ({ path: join(applicationFolder(person), build, 'User', 'mcp.json') })),
      { path: join(person.folder, '.vscode', 'mcp.json'), project: person.folder },
    ],
  },
  {
    name: 'zed',
    title: 'Zed',
    places: (person) => [
      { path: join(zedFolder(person), 'settings.json') },
      { path: join(person.folder, '.zed', 'settings.json'), project: person.folder },
    ],
  },
];

/** What editors set in a text for the person and the project, as the hub can read it. */
export function withoutEditorVariables(text: string, project: string | undefined): string {
  const known = new Map([
    ['userHome', '${HOME}'],
    ['pathSeparator', '/'],
    ['/', '/'],
  ]);
  if (project !== undefined) known.set('workspaceFolder', project).set('workspaceFolderBasename', basename(project));
  return text.replace(/\$\{([^}]*)\}/g, (whole, name: string) => known.get(name) ?? whole);
}

/** Where programs keep the settings of a person. */
function applicationFolder({ platform, home, environment }: Person): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  return environment['XDG_CONFIG_HOME'] ?? join(home, '.config');
}

function zedFolder(person: Person): string {
  if (person.platform === 'win32') return join(applicationFolder(person), 'Zed');
  if (person.platform === 'darwin') return join(person.home, '.config', 'zed');
  return join(applicationFolder(person), 'zed');
}
