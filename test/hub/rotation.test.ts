/** `mcp-multibroker init` and `rotate`, and hubs that run meanwhile. */
import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { call, post, session } from '../kit/by-hand.js';
import { dialLine, dialSocket, introduce } from '../kit/dial.js';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, run } from '../kit/hub.js';
import { tool } from '../kit/inside.js';
import type { Environment } from '../kit/processes.js';
import { reachable } from '../kit/reachable.js';
import { eventually } from '../kit/until.js';
import { exchange } from '../kit/wire.js';

function folderOf(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker');
}

async function printed(env: Environment, ...args: readonly string[]): Promise<string> {
  return (await run(['--print-url', ...args], env)).stdout.trim();
}

function tokenIn(url: string): string {
  return new URL(url).pathname.split('/')[1] ?? '';
}

async function rotate(env: Environment, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(['rotate', ...args], env);
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

/** The status that a request without a session gets: 400 with an accepted token. */
async function status(url: string): Promise<number> {
  const { pathname, port } = new URL(url);
  const answer = await exchange(Number(port), `DELETE ${pathname} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

describe('mcp-multibroker init', () => {
  it('makes what is needed for the person alone, and says the same when all is there', async (t) => {
    const env = await freshHome(t);
    const first = await run(['init'], env);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    for (const [path, mode] of [
      ['', 0o700],
      ['rules', 0o700],
      ['secret', 0o600],
    ] as const)
      assert.equal((await stat(join(folderOf(env), path))).mode & 0o777, mode, path);
    const secret = await readFile(join(folderOf(env), 'secret'), 'utf8');
    const url = await printed(env);
    assert.deepEqual(await run(['init'], env), first);
    assert.deepEqual(
      [await readFile(join(folderOf(env), 'secret'), 'utf8'), await printed(env)],
      [secret, url],
      'the second time nothing has changed',
    );
    assert.ok(!first.stdout.includes(secret.trim()) && !first.stdout.includes(tokenIn(url)));
  });

  it('prints an entry for the client that works, and the line for Vim', async (t) => {
    const env = await freshHome(t);
    const { stdout } = await run(['init'], env);
    const entry = JSON.parse(/^\{.*^\}$/ms.exec(stdout)?.[0] ?? '') as {
      mcpServers: { tools: { args: string[] } };
    };
    const [program, ...args] = entry.mcpServers.tools.args;
    assert.equal(program, 'mcp-multibroker');
    assert.match(stdout, /^:Mcp$/m);
    const hub = await HubProcess.greeted(t, args.slice(1), env);
    assert.ok((await hub.client.toolNames()).includes('vim.targets'));
  });

  it('says what is wrong with what is there, and changes nothing of it', async (t) => {
    const env = await freshHome(t);
    await run(['init'], env);
    await chmod(join(folderOf(env), 'rules'), 0o755);
    const open = await run(['init'], env);
    assert.equal(open.code, 1);
    assert.match(open.stderr, /rules must be a folder of your own with mode 0700/);
    assert.equal((await run(['init', '--nope'], env)).code, 2);
  });
});

describe('mcp-multibroker rotate', () => {
  it('refuses no valid call: old and new tokens are taken at once, and what is connected stays', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'));
    const [line, socket] = [await dialLine(t, url, 'line'), await dialSocket(t, url, 'socket')];
    await introduce(line, [tool('x')]);
    await introduce(socket, [tool('x')]);
    const urls = [url];
    let rotating = true;
    const calls = async (path: (of: string) => [string, Record<string, string>]): Promise<number> => {
      let made = 0;
      while (rotating) {
        const [to, headers] = path(urls[made % urls.length] ?? url);
        const own = await session(to, headers);
        assert.match(await call(to, own, 'c.echo', { nonce: made }), new RegExp(`nonce\\\\":${made}[},]`));
        made += 1;
      }
      return made;
    };
    const loads = [
      calls((of) => [`${of}mcp`, {}]),
      calls((of) => [new URL('/mcp', of).href, { authorization: `Bearer ${tokenIn(of)}` }]),
    ];
    for (let round = 0; round < 4; round += 1) {
      await rotate(hub.env);
      urls.push(await printed(hub.env));
    }
    rotating = false;
    for (const made of await Promise.all(loads)) assert.ok(made > 0);
    assert.equal(new Set(urls.map(tokenIn)).size, 5);
    assert.equal(new Set(urls.map((each) => new URL(each).port)).size, 1, 'the port stays');
    for (const each of urls) {
      await introduce(await dialLine(t, each, `new${urls.indexOf(each)}`), [tool('x')]);
    }
    await eventually('all are listed', async () => (await hub.client.toolNames()).length >= 7);
    for (const [alias, end] of [
      ['line', line],
      ['socket', socket],
    ] as const) {
      const outcome = hub.client.call(`${alias}.x`);
      const { id } = await end.next({ method: 'tools/call' });
      end.send({ id, result: { content: [{ type: 'text', text: 'still here' }] } });
      assert.equal((await outcome).text, 'still here');
    }
    await hub.close();
    for (const each of urls) assert.ok(!hub.stderr.includes(tokenIn(each)));
  });

  it('ends the old tokens when their time is over, and no connection with them', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'));
    const dialled = await dialLine(t, url, 'vim');
    await introduce(dialled, [tool('x')]);
    assert.match(await rotate(hub.env, '--grace', '1'), /The old tokens end in 1 seconds/);
    const second = await printed(hub.env);
    await eventually('the old one has ended', async () => (await status(url)) === 401);
    assert.equal(await status(second), 400);
    assert.match(await rotate(hub.env, '--grace', '0'), /The old tokens are not accepted any more/);
    const third = await printed(hub.env);
    assert.deepEqual([await status(url), await status(second), await status(third)], [401, 401, 400]);
    await (await dialLine(t, second, 'other')).ended();
    const outcome = hub.client.call('vim.x');
    const { id } = await dialled.next({ method: 'tools/call' });
    dialled.send({ id, result: { content: [] } });
    assert.equal((await outcome).error, undefined);
  });

  it('leaves tokens alone that were given', async (t) => {
    const { hub, url } = await reachable(t, '--token', 'the-first-token-of-two', '--token', 'the-second-token-of-two');
    await rotate(hub.env, '--grace', '0');
    assert.equal(await status(url), 400);
    assert.equal(await status(url.replace('first', 'second')), 400);
    assert.equal(await printed(hub.env, '--token', 'the-first-token-of-two'), url);
  });

  it('by many processes at once leaves one whole file, and all tokens of before accepted', async (t) => {
    const { hub, url } = await reachable(t);
    await Promise.all(Array.from({ length: 10 }, () => rotate(hub.env)));
    const text = await readFile(join(folderOf(hub.env), 'secret'), 'utf8');
    assert.equal(text.match(/^until \d+ [\w-]{43}$/gm)?.length, 10);
    assert.deepEqual([await status(url), await status(await printed(hub.env))], [400, 400]);
    assert.deepEqual((await readdir(folderOf(hub.env))).sort(), ['secret']);
    assert.equal((await stat(join(folderOf(hub.env), 'secret'))).mode & 0o777, 0o600);
  });

  it('and what happens to the file change nothing for a hub that cannot read it', async (t) => {
    const { hub, url } = await reachable(t);
    await chmod(join(folderOf(hub.env), 'secret'), 0o644);
    assert.equal(await status(url), 400);
    const { code, stderr } = await run(['rotate'], hub.env);
    assert.equal(code, 1);
    assert.match(stderr, /can be read by others/);
    await hub.close();
    assert.match(hub.stderr, /the tokens stay as they are: .*can be read by others/);
  });

  for (const args of [['--grace', '-1'], ['--grace', 'soon'], ['--grace', '2592001'], ['now']])
    it(`refuses ${args.join(' ')}`, async (t) => {
      const { code, stderr } = await run(['rotate', ...args], await freshHome(t));
      assert.equal(code, 2);
      assert.match(stderr, /^mcp-multibroker: error: [^\n]+\n$/);
    });
});

describe('a hub that dials another one by its name', () => {
  /** The tools of the outer hub once it has those of the inner one. */
  async function sees(outer: HubProcess): Promise<void> {
    await eventually('they are listed', async () => (await outer.client.toolNames()).includes('inner.c.echo'));
  }

  async function ofBoth(t: TestContext): Promise<{ outer: HubProcess; inner: HubProcess }> {
    const env = await freshHome(t);
    const outer = await HubProcess.greeted(t, ['--name', 'outer'], env);
    const inner = await HubProcess.greeted(
      t,
      ['--name', 'in', '--connect', 'outer/inner', ...child('c', 'plain')],
      env,
    );
    return { outer, inner };
  }

  it('finds it, and again with new tokens', async (t) => {
    const { outer, inner } = await ofBoth(t);
    await sees(outer);
    await rotate(outer.env, '--grace', '0');
    assert.equal((await outer.client.call('inner.c.echo', { a: 1 })).text, '{"a":1}');
    await outer.close();
    const next = await HubProcess.greeted(t, ['--name', 'outer'], outer.env);
    await sees(next);
    assert.equal((await next.client.call('inner.c.echo', { a: 2 })).text, '{"a":2}');
    const told = await readFile(`/proc/${inner.pid}/cmdline`, 'utf8');
    assert.ok(!told.includes(tokenIn(await printed(outer.env, '--name', 'outer'))));
  });

  it('tells one with tokens of its own nothing', async (t) => {
    const env = await freshHome(t);
    await HubProcess.greeted(t, ['--name', 'outer', '--token', 'a-token-of-its-own'], env);
    const inner = await HubProcess.greeted(t, ['--name', 'in', '--connect', 'outer/inner'], env);
    await eventually('it says so', () => inner.stderr.includes('no connection to the hub named outer: '));
    await eventually('it says why', () => inner.stderr.includes('does not know the token; it was told nothing'));
  });
});

it('a request with a wrong token is answered the same, whichever tokens there are', async (t) => {
  const { hub, url } = await reachable(t);
  const wrong = url.replace(tokenIn(url), 'x'.repeat(32));
  const before = await (await post(wrong, {})).text();
  await rotate(hub.env);
  assert.equal(await (await post(wrong, {})).text(), before);
});
