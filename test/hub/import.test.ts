/** `mcp-multibroker import`, for a person who uses five MCP clients. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { folder, freshHome } from '../kit/home.js';
import { childCommand, HubProcess, PROGRAM } from '../kit/hub.js';
import type { Environment } from '../kit/processes.js';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Home {
  readonly env: Environment;
  readonly project: string;
  /** Runs `mcp-multibroker import` in the project. */
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  readonly write: (path: string, text: string) => Promise<void>;
}

/** A person with a project. */
async function person(t: TestContext): Promise<Home> {
  const env = await freshHome(t);
  const project = await folder(t);
  const run = (...args: readonly string[]): Promise<Ran> =>
    new Promise((done) => {
      const options = { env, cwd: project, timeout: 10_000 };
      execFile(process.execPath, [PROGRAM, 'import', ...args], options, (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      );
    });
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  return { env, project, run, write };
}

/** A person with all five clients, at the level of the person and of the project. */
async function withFiveClients(t: TestContext): Promise<Home> {
  const home = await person(t);
  const { env, project, write } = home;
  const [settings, own] = [env['XDG_CONFIG_HOME'] ?? '', env['HOME'] ?? ''];
  const [node = '', ...plain] = childCommand('plain');
  const files = { command: node, args: plain };
  await write(
    join(settings, 'Claude', 'claude_desktop_config.json'),
    JSON.stringify({
      globalShortcut: '',
      mcpServers: { files, search: { command: 'search', env: { KEY: 'secret' } } },
    }),
  );
  await write(
    join(own, '.claude.json'),
    JSON.stringify({
      numStartups: 5,
      mcpServers: { files: { type: 'stdio', ...files, env: {} }, far: { type: 'http', url: 'https://example.com' } },
      projects: { '/some/project': { allowedTools: [], mcpServers: { notes: { command: 'notes', args: ['.'] } } } },
    }),
  );
  await write(
    join(project, '.mcp.json'),
    JSON.stringify({ mcpServers: { shared: { command: 'shared', args: ['${SHARED_TOKEN}', '${MODE:-fast}'] } } }),
  );
  await write(
    join(own, '.cursor', 'mcp.json'),
    JSON.stringify({
      mcpServers: {
        search: { command: 'search', args: ['--other'] },
        tools: { command: 'npx', args: ['-y', 'mcp-multibroker@latest', '--stdio'] },
      },
    }),
  );
  await write(join(project, '.cursor', 'mcp.json'), '{"mcpServers": {"broken": ');
  await write(
    join(settings, 'Code', 'User', 'mcp.json'),
    `{ // mine
      "inputs": [{"id": "key", "type": "promptString", "password": true}],
      "servers": {"asks me": {"type": "stdio", "command": "x", "env": {"K": "\${input:key}"}, "envFile": ".env"},},
    }`,
  );
  await write(
    join(project, '.vscode', 'mcp.json'),
    JSON.stringify({ servers: { here: { command: '${workspaceFolder}/run', args: ['${userHome}'], cwd: 'sub' } } }),
  );
  await write(
    join(settings, 'zed', 'settings.json'),
    `// Zed settings
    {"theme": "One", "context_servers": {
      "old": {"command": {"path": "old", "args": ["-v"], "env": null}, "settings": {}},
      "new": {"source": "custom", "enabled": true, "command": "new", "args": []},
      "ext": {"source": "extension", "enabled": true, "settings": {}},
      "off": {"enabled": false, "command": "off", "args": []},
    }}`,
  );
  return home;
}

describe('an import from all clients', () => {
  it('has each server once, says of each what became of it, and keeps the file to the person', async (t) => {
    const { env, project, run } = await withFiveClients(t);
    const { code, stdout, stderr } = await run();
    assert.equal(code, 0, stderr);
    const path = join(env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker', 'servers.json');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(dirname(path)), ['servers.json']);
    const [node = '', ...plain] = childCommand('plain');
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
      mcpServers: {
        files: { command: node, args: plain },
        far: { url: 'https://example.com' },
        search: { command: 'search', env: { KEY: 'secret' } },
        notes: { command: 'notes', args: ['.'], cwd: '/some/project' },
        shared: { command: 'shared', args: ['${SHARED_TOKEN}', '${MODE:-fast}'], cwd: project },
        'search-2': { command: 'search', args: ['--other'] },
        'asks-me': { command: 'x', env: { K: '${input:key}' }, disabled: true },
        here: { command: `${project}/run`, args: ['${HOME}'], cwd: `${project}/sub` },
        old: { command: 'old', args: ['-v'] },
        new: { command: 'new', args: [] },
      },
    });
    for (const line of [
      /: files: imported \(Claude Desktop, \S+claude_desktop_config\.json\)/,
      /: files: left out, it is the same as in Claude Desktop, \S+ \(Claude Code, \S+\.claude\.json\)/,
      /: far: imported \(Claude Code, /,
      /: notes: imported \(Claude Code, \S+ for \/some\/project\)/,
      /: shared: imported; needs SHARED_TOKEN in the environment of the hub \(Claude Code, \S+\.mcp\.json\)/,
      /: search: imported as search-2 \(Cursor, /,
      /: tools: left out, it is this hub itself \(Cursor, /,
      /warning: left out: \S+\.cursor\/mcp\.json:1:\d+ is no JSON/,
      /: asks me: imported as asks-me; without envFile, [^;]+; disabled until you edit it: env\.K: \$\{input:key\} /,
      /: ext: left out, it has no "command", only Zed /,
      /: off: left out, it is disabled /,
    ]) {
      assert.match(stderr, line);
    }
    assert.ok(!stderr.includes('secret'));
    const entry = JSON.parse(stdout) as { mcpServers: { tools: { args: string[] } } };
    assert.deepEqual(entry.mcpServers.tools.args, ['mcp-multibroker', '--stdio', '--config', path]);
  });

  it('makes a file that the hub takes', async (t) => {
    const { env, run } = await withFiveClients(t);
    await run('--from', 'claude-desktop', '--from', 'vscode');
    const path = join(env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker', 'servers.json');
    const hub = await HubProcess.greeted(t, ['--config', path], env);
    assert.equal((await hub.client.call('files.echo', { a: 1 })).text, '{"a":1}');
  });
});

describe('an import', () => {
  it('leaves a file that is there alone, unless it is forced', async (t) => {
    const { project, run } = await withFiveClients(t);
    const file = join(project, 'mine.json');
    await writeFile(file, 'precious', { mode: 0o644 });
    const refused = await run('--from', 'zed', '--to', 'mine.json');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /mine\.json is there already\. Add --force/);
    assert.equal(await readFile(file, 'utf8'), 'precious');
    assert.equal((await run('--from', 'zed', '--to', 'mine.json', '--force')).code, 0);
    assert.match(await readFile(file, 'utf8'), /"new"/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('only prints what it would write when it is dry', async (t) => {
    const { env, project, run } = await withFiveClients(t);
    const { stdout } = await run('--from', 'zed', '--to', 'mine.json', '--dry-run');
    assert.deepEqual(JSON.parse(stdout), {
      mcpServers: { old: { command: 'old', args: ['-v'] }, new: { command: 'new', args: [] } },
    });
    assert.ok(!(await readdir(project)).includes('mine.json'));
    assert.deepEqual((await readdir(env['XDG_CONFIG_HOME'] ?? '')).sort(), ['Claude', 'Code', 'zed']);
  });

  it('may be from a file', async (t) => {
    const { project, run, write } = await person(t);
    await write(join(project, 'other.json'), '{"mcpServers": {"a": {"command": "x", "eager": true}}}');
    const { stdout } = await run('--from', 'other.json', '--dry-run');
    assert.deepEqual(JSON.parse(stdout), { mcpServers: { a: { command: 'x', eager: true } } });
  });

  for (const [what, args, status, message] of [
    ['nothing is there', [], 1, /no MCP client was found; looked for .*claude_desktop_config\.json/],
    ['the client is not there', ['--from', 'cursor'], 1, /looked for \S+\.cursor\/mcp\.json/],
    [
      'the file is not there',
      ['--from', 'curser'],
      1,
      /curser cannot be read: .*Give a file, or one of claude-desktop, /,
    ],
    ['an option is unknown', ['--form', 'cursor'], 2, /unknown option --form/],
    ['a word is too much', ['cursor'], 2, /unexpected argument "cursor"/],
  ] as const) {
    it(`says so when ${what}`, async (t) => {
      const { run } = await person(t);
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [status, '']);
      assert.match(stderr, message);
    });
  }

  it('explains itself', async (t) => {
    const { code, stdout } = await (await person(t)).run('--help');
    assert.equal(code, 0);
    assert.match(stdout, /^mcp-multibroker import \[options\]/);
  });
});
