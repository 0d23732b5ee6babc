/** Servers that want the person to sign in: with a browser, by a token that is kept, by one that is renewed. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { browsing } from '../kit/browser.js';
import { folder, freshHome } from '../kit/home.js';
import { HubProcess } from '../kit/hub.js';
import type { Environment } from '../kit/processes.js';
import { servedUrl } from '../kit/served.js';
import { eventually } from '../kit/until.js';

/** A person who signs in where they are asked to, or does nothing. */
async function person(t: TestContext, signsIn: boolean): Promise<Environment> {
  return await browsing(await freshHome(t), await folder(t), signsIn);
}

describe('a server that wants the person to sign in', () => {
  it('is used once they have, and again without asking', async (t) => {
    const url = await servedUrl(t, 'protected');
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
    const hub = await HubProcess.greeted(
      t,
      ['far', await servedUrl(t, 'protected', '--lives', '6')],
      await person(t, true),
    );
    const counts: string[] = [];
    for (let call = 0; call < 12; call += 1) counts.push((await hub.client.call('far.counts')).text);
    assert.equal(counts[0], '1 0');
    assert.match(counts.at(-1) ?? '', /^1 [1-9]/);
  });

  it('is asked for with the page to visit, in the log', async (t) => {
    const hub = await HubProcess.greeted(t, ['far', await servedUrl(t, 'protected')], await person(t, false));
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

  it('is asked for more permission when a call wants that, beside what was given before', async (t) => {
    const hub = await HubProcess.greeted(
      t,
      ['far', await servedUrl(t, 'protected', '--wants', 'change')],
      await person(t, true),
    );
    assert.equal((await hub.client.call('far.counts')).text, '2 0');
    assert.deepEqual(pages(hub).map(scopes), [['use'], ['use', 'change']]);
  });

  it('does not show the page for each call when it does not give that permission', async (t) => {
    const url = await servedUrl(t, 'protected', '--wants', 'change', '--stingy');
    const hub = await HubProcess.greeted(t, ['far', url], await person(t, true));
    assert.match(await refusal(hub), /insufficient_scope/);
    assert.match(await refusal(hub), /far wants more permission than you could give \(use change\)/);
    assert.equal(pages(hub).length, 2);
    assert.ok((await hub.client.toolNames()).includes('far.counts'));
    // The connection is as it was.
    assert.doesNotMatch(hub.stderr, /started again/);
  });

  it('may go to another authorization server, where the hub introduces itself anew', async (t) => {
    const hub = await HubProcess.greeted(t, ['far', await servedUrl(t, 'protected')], await person(t, true));
    await hub.client.call('far.move');
    assert.equal((await hub.client.call('far.counts')).text, '2 0');
    const [before, after] = pages(hub);
    assert.equal(before?.hostname, '127.0.0.1');
    assert.equal(after?.hostname, 'localhost');
    assert.notEqual(after?.searchParams.get('client_id'), before?.searchParams.get('client_id'));
  });

  it('knows the hub by the id and secret that the person has, which are for one authorization server only', async (t) => {
    const url = await servedUrl(t, 'protected', '--client', 'known', '--secret', 'sesame');
    const asKnown = ['--oauth-id', 'known', '--oauth-secret', 'sesame'];
    const hub = await HubProcess.greeted(t, ['far', url, ...asKnown], await person(t, true));
    assert.equal((await hub.client.call('far.counts')).text, '1 0');
    assert.equal(pages(hub)[0]?.searchParams.get('client_id'), 'known');
    await hub.client.call('far.move');
    assert.match(await refusal(hub), /far sends to http:\/\/localhost:\d+\/? now, but known is known at/);
    assert.equal(pages(hub).length, 1);
    assert.ok(!hub.stderr.includes('sesame'));
  });
});

/** Why a call is refused. */
async function refusal(hub: HubProcess): Promise<string> {
  return (await hub.client.call('far.counts')).error?.message ?? '';
}

/** The pages that the person was shown. */
function pages(hub: HubProcess): URL[] {
  return [...hub.stderr.matchAll(/sign in: (\S+)/g)].map(([, page = '']) => new URL(page));
}

function scopes(page: URL): string[] {
  return (page.searchParams.get('scope') ?? '').split(' ');
}
