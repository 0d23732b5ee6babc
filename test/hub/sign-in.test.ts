/** Servers that want the person to sign in: with a browser, by a token that is kept, by one that is renewed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { folder, freshHome } from '../kit/home.js';
import { childCommand, HubProcess } from '../kit/hub.js';
import type { Environment } from '../kit/processes.js';
import { eventually } from '../kit/until.js';

/** Starts the server; its address. */
async function protectedUrl(t: TestContext, ...args: readonly string[]): Promise<string> {
  const [program = '', ...words] = childCommand('protected', ...args);
  const server = spawn(program, words, { env: await freshHome(t) });
  cleanup(t, () => server.kill('SIGKILL'));
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return await eventually('the server says its address', () => /http:\S+/.exec(said)?.[0]);
}

/** A person whose browser, as the system knows it, does at once what the pages want, or nothing. */
async function person(t: TestContext, signsIn: boolean): Promise<Environment> {
  const bin = await folder(t);
  const browser = join(bin, 'xdg-open');
  const visit = `fetch(process.argv[2]).then((r) => r.text())`;
  await writeFile(browser, `#!${process.execPath}\n${signsIn ? visit : ''}\n`);
  await chmod(browser, 0o755);
  const env = await freshHome(t);
  return { ...env, PATH: `${bin}:${env['PATH'] ?? ''}` };
}

describe('a server that wants the person to sign in', () => {
  it('is used once they have, and again without asking', async (t) => {
    const url = await protectedUrl(t);
    const env = await person(t, true);
    const hub = await HubProcess.greeted(t, ['far', url], env);
    assert.equal((await hub.client.call('far.counts')).text, '1 0');
    await hub.close();
    const again = await HubProcess.greeted(t, ['far', url], env);
    assert.equal((await again.client.call('far.counts')).text, '1 0');
    const kept = join(env['XDG_STATE_HOME'] ?? '', 'mcp-multibroker/oauth');
    assert.equal((await stat(kept)).mode & 0o777, 0o700);
    for (const name of await readdir(kept)) {
      assert.equal((await stat(join(kept, name))).mode & 0o777, 0o600);
      const { tokens } = JSON.parse(await readFile(join(kept, name), 'utf8')) as { tokens: { access_token: string } };
      for (const said of [hub.stderr, again.stderr]) assert.ok(!said.includes(tokens.access_token));
    }
  });

  it('gets a new token when the old one is used up', async (t) => {
    const hub = await HubProcess.greeted(t, ['far', await protectedUrl(t, '--lives', '6')], await person(t, true));
    const counts: string[] = [];
    for (let call = 0; call < 12; call += 1) counts.push((await hub.client.call('far.counts')).text);
    assert.equal(counts[0], '1 0');
    assert.match(counts.at(-1) ?? '', /^1 [1-9]/);
  });

  it('is asked for with the page to visit, in the log', async (t) => {
    const hub = await HubProcess.greeted(t, ['far', await protectedUrl(t)], await person(t, false));
    const call = hub.client.call('far.counts');
    call.catch(() => undefined);
    const page = await eventually('the page is named', () => /sign in: (\S+)/.exec(hub.stderr)?.[1]);
    const { searchParams } = new URL(page);
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    // Who guesses the address to return to brings nothing.
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    assert.equal(back.hostname, '127.0.0.1');
    for (const state of ['', '?code=x', '?code=x&state=wrong'])
      assert.equal((await fetch(`${back.href}${state}`)).status, 404);
    await fetch(page);
    assert.equal((await call).text, '1 0');
  });
});
