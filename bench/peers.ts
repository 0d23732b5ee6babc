import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { LeanClient } from './lean-client.js';
import type { Work } from './rounds.js';

/** What is measured of each server. */
export interface Trio {
  readonly name: string;
  readonly state: Work;
  readonly read: Work;
  readonly edit: Work;
}

/** Another server with an editor of its own. */
export interface Peer extends Trio {
  close(): Promise<void>;
}

/** Where vim-mcp listens, whoever starts it. */
const VIM_MCP_SOCKET = '/tmp/vim-mcp-server.sock';
const PATIENCE = 120_000;

/**
 * Other MCP servers for Vim and Neovim, each on `lines`; those that cannot be had here are left out with a line that says
 * why. They are installed into `home`, or taken from the folder that BENCH_PEERS names.
 */
export async function peers(home: Home, lines: readonly string[]): Promise<Peer[]> {
  const found: Peer[] = [];
  for (const [name, start] of [
    ['mcp-neovim-server', neovimServer],
    ['vim-mcp', vimMcp],
  ] as const) {
    try {
      found.push(await start(name, home, lines));
    } catch (error) {
      console.log(`\n${name} is left out: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
  return found;
}

async function neovimServer(name: string, home: Home, lines: readonly string[]): Promise<Peer> {
  if (spawnSync('nvim', ['--version']).status !== 0) throw new Error('there is no nvim');
  const program = join(installed(name, home, ['npm', 'install', '--silent', '--prefix', '.', name]), 'build/index.js');
  const socket = join(home.path, 'nvim.sock');
  const text = join(home.path, 'text');
  await writeFile(text, `${lines.join('\n')}\n`);
  const nvim = spawn('nvim', ['--headless', '--clean', '--listen', socket, text], { env: home.env, stdio: 'ignore' });
  const client = new LeanClient([process.execPath, program], { ...home.env, NVIM_SOCKET_PATH: socket });
  const close = async (): Promise<void> => {
    await client.close();
    nvim.kill();
  };
  return await ready({
    name,
    client,
    close,
    state: ['vim_status', {}],
    read: ['vim_buffer', {}],
    edit: ['vim_edit', { startLine: 1, mode: 'replace', lines: 'new' }],
  });
}

async function vimMcp(name: string, home: Home, lines: readonly string[]): Promise<Peer> {
  if (existsSync(VIM_MCP_SOCKET)) throw new Error(`${VIM_MCP_SOCKET} is in use`);
  const folder = installed(name, home, ['git', 'clone', '--depth', '1', `https://github.com/iggredible/${name}`, '.']);
  const server = join(folder, 'server');
  if (!existsSync(join(server, 'node_modules'))) run(['npm', 'install', '--silent'], server);
  const client = new LeanClient([process.execPath, join(server, 'index.js')], home.env);
  await client.initialize();
  const vim = await Vim.start(home, { vimrc: `set rtp^=${folder}\nruntime plugin/vim-mcp.vim\n` });
  await vim.buffer(lines);
  const close = async (): Promise<void> => {
    await Promise.all([client.close(), vim.close()]);
  };
  return await ready({
    name,
    client,
    close,
    state: ['get_vim_state', {}],
    read: ['get_vim_state', {}],
    edit: ['vim_execute', { command: 'call setline(1, "new")' }],
  });
}

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

interface Parts {
  readonly name: string;
  readonly client: LeanClient;
  readonly state: Call;
  readonly read: Call;
  readonly edit: Call;
  close(): Promise<void>;
}

/** Waits until it answers about its editor. */
async function ready({ name, client, state, read, edit, close }: Parts): Promise<Peer> {
  const work =
    ([tool, args]: Call): Work =>
    () =>
      client.call(tool, args);
  try {
    await client.initialize().catch(() => undefined);
    await eventually(`${name} reaches its editor`, work(read));
  } catch (error) {
    await close();
    throw error;
  }
  return { name, state: work(state), read: work(read), edit: work(edit), close };
}

/** The folder of a server: the one that is there already, or a new one that the command fills. */
function installed(name: string, { path }: Home, command: readonly [string, ...string[]]): string {
  const given = process.env['BENCH_PEERS'];
  if (given !== undefined) return join(given, name);
  const folder = join(path, name);
  mkdirSync(folder);
  run(command, folder);
  const inside = join(folder, 'node_modules', name);
  return existsSync(inside) ? inside : folder;
}

function run([program, ...args]: readonly [string, ...string[]], cwd: string): void {
  try {
    execFileSync(program, args, { cwd, stdio: 'ignore', timeout: PATIENCE });
  } catch {
    throw new Error(`${[program, ...args].join(' ')} failed; is there a network?`);
  }
}
