/** Another user of the same machine, while a hub, its mcp-vim and a Vim run. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { type Home, makeHome } from '../kit/home.js';
import { HubProcess, ROOT, run } from '../kit/hub.js';
import { allGone, processesOf } from '../kit/processes.js';
import { eventually, soon } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { printedUrl } from './broker.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

interface Seen {
  readonly uid: number;
  readonly files: string[];
  readonly folders: string[];
  readonly planted: string[];
  readonly sockets: string[];
  readonly environments: string[];
  readonly commands: string[];
  readonly answers: string[];
}

/** Nothing, a status, or what tells the plugin in a Vim to try no more. */
const ANSWER =
  /^($|HTTP\/1\.1 40[14] |\["call","mcp#dispatch#Run",\["refused",\{"message":"the token is not accepted"\}\],-1\]\n$)/;

/** What comes without a token; the last ones would serve whoever has one. */
function attempts(port: number): readonly string[] {
  const guess = 'x'.repeat(32);
  const http = (method: string, path: string, ...more: readonly string[]): string =>
    [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...more, '', ''].join('\r\n');
  const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];
  return [
    ...['/', '/mcp', '/sse', `/${guess}/mcp`, '/../secret', '/.well-known/oauth-protected-resource'].map((path) =>
      http('GET', path),
    ),
    `${http('POST', '/mcp', 'Content-Type: application/json', 'Content-Length: 2', 'Authorization: Bearer x')}{}`,
    http('GET', `/${guess}/vim`, ...upgrade).replace('close', 'Upgrade'),
    `["mcp","${guess}"]\n`,
    `["mcp-connect","${guess}","vim"]\n`,
    `["mcp-vim","${guess}",1,0,"ed","stranger"]\n`,
    `["mcp-vim-prove","${'0'.repeat(32)}","127.0.0.1:1"]\n`,
    `["mcp-connect-prove","${'0'.repeat(32)}","127.0.0.1:1"]\n`,
  ];
}

async function stranger(t: TestContext, plan: object): Promise<Seen> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/test/children/stranger.js')], { stdio: 'pipe', cwd: '/' });
  cleanup(t, () => child.kill('SIGKILL'));
  child.stdin.end(JSON.stringify(plan));
  const [out, error] = await soon('end', Promise.all([text(child.stdout), text(child.stderr)]), 40_000);
  assert.equal(error, '');
  return JSON.parse(out) as Seen;
}

/** All that lies below a folder. */
async function below(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.map((entry) => join(entry.parentPath, entry.name));
}

/** A home that others may look into, so that only what the programs do themselves keeps them out. */
async function openHome(t: TestContext): Promise<Home> {
  const home = await makeHome();
  cleanup(t, () => home.remove());
  cleanup(t, () => allGone(home.env));
  for (const name of ['config', 'state']) await mkdir(join(home.path, name));
  for (const name of ['', 'config', 'state', 'run']) await chmod(join(home.path, name), 0o755);
  return home;
}

describe('another user of the machine', () => {
  it('gets nothing of what a person runs: no secret, no word of a broker, no answer', async (t) => {
    const home = await openHome(t);
    await run(['init'], home.env);
    const hub = await HubProcess.greeted(
      t,
      ['vim', '---', 'mcp-vim', '--name', 'editor', '---', '--eager', '--name', 'demo'],
      home.env,
    );
    const vim = await Vim.start(home);
    cleanup(t, () => vim.close());
    await eventually('the broker has left word', () => stat(join(home.path, 'run/mcp-multibroker/vim-editor.json')));
    await vim.ex('Mcp demo');
    await eventually('Vim is connected', async () =>
      JSON.stringify((await hub.client.call('vim.targets')).message).includes('"demo"'),
    );
    const urls = [
      (await run(['--print-url', '--name', 'demo'], home.env)).stdout,
      printedUrl(home, '--name', 'editor'),
    ];
    const tokens = urls.map((url) => new URL(url).pathname.split('/')[1] ?? '');
    const ports = urls.map((url) => Number(new URL(url).port));
    const own = ['config', 'state', 'run'].map((name) => join(home.path, name, 'mcp-multibroker'));
    const paths = (await Promise.all(own.map(below))).flat();
    const files = paths.filter((path) => /secret$|\.json$|\.ini$/.test(path));
    const sockets = paths.filter((path) => path.endsWith('.sock'));
    assert.ok(files.length >= 2 && sockets.length === 1, paths.join());
    for (const path of paths) assert.equal((await stat(path)).mode & 0o077, 0, path);

    const pids = (await processesOf(home.env)).filter((pid) => pid !== process.pid);
    const seen = await stranger(t, { files, folders: own, sockets, ports, pids, lines: attempts(ports[0] ?? 0) });
    assert.ok(pids.length >= 3);
    assert.equal(seen.answers.length, ports.length * attempts(0).length);
    for (const answer of seen.answers) assert.match(answer, ANSWER);
    const told = [...seen.commands, ...seen.answers].join('\n');
    for (const token of tokens) assert.ok(token.length === 32 && !told.includes(token));
    if (isRoot) {
      assert.equal(seen.uid, NOBODY);
      const refused = [...seen.files, ...seen.folders, ...seen.planted, ...seen.sockets, ...seen.environments];
      assert.deepEqual(new Set(refused), new Set(['EACCES']));
    }
    assert.equal((await hub.client.call('vim.targets')).error, undefined);
    await hub.close();
    assert.deepEqual(
      (await below(own[2] ?? '')).filter((path) => path.includes('planted')),
      [],
    );
  });

  it('cannot lay out a folder in the place of the one of a person', async (t) => {
    const home = await openHome(t);
    const folder = join(home.path, 'run/mcp-multibroker');
    await mkdir(folder, { mode: 0o700 });
    // Who is not root can give nothing away: then a folder that others may write to stands for one of theirs.
    if (isRoot) await chown(folder, NOBODY, NOBODY);
    else await chmod(folder, 0o777);
    const broker = spawn(process.execPath, [join(ROOT, 'bin/mcp-vim')], { env: home.env, stdio: 'pipe' });
    cleanup(t, () => broker.kill('SIGKILL'));
    assert.match(
      await soon('end', text(broker.stderr)),
      /^mcp-vim: error: \S*run\/mcp-multibroker must be a folder of your own with mode 0700/,
    );
    assert.deepEqual(await readdir(folder), []);
    if (isRoot) await chown(join(home.path, 'config/mcp-multibroker'), NOBODY, NOBODY);
    else await chmod(join(home.path, 'config/mcp-multibroker'), 0o777);
    for (const args of [['--print-url'], ['init'], ['rotate']]) {
      const { code, stdout, stderr } = await run(args, home.env);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /config\/mcp-multibroker must be a folder of your own with mode 0700/);
    }
  });
});
