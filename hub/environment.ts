/** Variables that a spawned child inherits; nothing else of the hub's environment reaches it. */
export const INHERITED: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'TZ',
  'TMPDIR',
  'DISPLAY',
  'XAUTHORITY',
  'WAYLAND_DISPLAY',
  'DBUS_SESSION_BUS_ADDRESS',
  'SSH_AUTH_SOCK',
];
/** The same by prefix. */
export const INHERITED_PREFIXES: readonly string[] = ['LC_', 'XDG_'];

/** Tells a child that it was spawned to speak MCP on its standard input and output. */
const SPAWNED = { MCP_MULTIBROKER_PROTOCOL: 'stdio' };

/** The environment of a spawned child: the listed variables and what its `--env` options add. */
export function childEnvironment(
  added: ReadonlyMap<string, string>,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const environment: Record<string, string> = { ...SPAWNED };
  for (const [name, value] of Object.entries(own)) {
    const inherited = INHERITED.includes(name) || INHERITED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (inherited && value !== undefined) environment[name] = value;
  }
  for (const [name, value] of added) environment[name] = value;
  return environment;
}
