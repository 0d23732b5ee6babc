/** Children that fail. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folder } from '../kit/home.js';
import { child, HubProcess } from '../kit/hub.js';
import { isAlive } from '../kit/processes.js';
import { eventually } from '../kit/until.js';

describe('a child that dies in a call', () => {
  for (const [how, args, message] of [
    ['is killed', { signal: 'SIGKILL' }, /c was ended by SIGKILL/],
    ['exits', {}, /c exited with code 3 \(it said last: these are my last words\)/],
  ] as const) {
    it(`fails the call when it ${how}, is reported, and the next call has a new one`, async (t) => {
      const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), ...child('other', 'plain')]);
      const before = (await client.call('c.pid')).text;
      const slow = client.call('c.slow');
      const [died, waiting] = await Promise.all([client.call('c.die', args), slow]);
      for (const { error } of [died, waiting]) {
        assert.equal(error?.code, 4410);
        assert.match(error?.message ?? '', message);
      }
      const { params } = await client.notification('notifications/message', 'it is started again in');
      assert.match(JSON.stringify(params), /"level":"warning"/);
      const after = await client.call('c.pid');
      assert.equal(after.error, undefined);
      assert.notEqual(after.text, before);
      assert.equal((await client.call('other.echo', { a: 1 })).text, '{"a":1}');
    });
  }

  it('is started again by itself', async (t) => {
    const file = join(await folder(t), 'started');
    const { client } = await HubProcess.greeted(t, child('c', 'plain', '--started', file));
    await client.call('c.die');
    await eventually('it is started again', async () => (await readFile(file, 'utf8')).trim().split('\n').length === 2);
  });
});

describe('a child that closes its output but lives on', () => {
  it('fails its calls and does not stay beside the next one', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    const before = Number((await client.call('c.pid')).text);
    const { error } = await client.call('c.hush');
    assert.equal(error?.code, 4410);
    const after = Number((await client.call('c.pid')).text);
    assert.notEqual(after, before);
    await eventually('the one before is gone', () => !isAlive(before), 8000);
    assert.ok(isAlive(after));
  });
});

describe('a child that always dies at its start', () => {
  it('is told with what it said last, is tried at growing waits, and harms no other', async (t) => {
    const bad = child('bad', 'plain', '--say', 'no licence found', '--exit', '4');
    const hub = await HubProcess.greeted(t, [...bad, '--eager', ...child('good', 'plain')]);
    const { client } = hub;
    assert.ok((await client.toolNames()).includes('good.echo'));
    assert.equal((await client.call('good.echo', { a: 1 })).text, '{"a":1}');
    const waits = (): number[] =>
      client.notifications
        .map(({ params }) => /again in ([\d.]+) s/.exec(JSON.stringify(params))?.[1])
        .filter((wait) => wait !== undefined)
        .map(Number);
    await eventually('it has failed three times', () => waits().length >= 3);
    assert.ok((waits()[2] ?? 0) > (waits()[0] ?? 0), `waits ${waits().join()}`);
    const { error } = await client.call('bad.echo');
    assert.equal(error?.code, 4410);
    assert.match(error?.message ?? '', /bad (is down: bad )?exited with code 4 \(it said last: no licence found\)/);
    await hub.close();
    assert.match(hub.stderr, /bad: no licence found/);
  });
});

describe('a child that cannot be started', () => {
  it('is told by its program and where that was looked for when there is none', async (t) => {
    const { client, env } = await HubProcess.greeted(t, [
      ...['c', '---', 'no-such-program-here', '---'],
      ...['line', '---', 'npx no-such-thing', '---', '--env', 'PATH=/no/such bin'],
      ...['file', '---', '/no/such/program', '---'],
    ]);
    const message = async (name: string): Promise<string> => {
      const { error } = await client.call(name);
      assert.equal(error?.code, 4410);
      return error?.message ?? '';
    };
    const c = await message('c.x');
    assert.ok(
      c.startsWith(`c cannot be started: there is no program "no-such-program-here" on its PATH (${env['PATH']}). `),
      c,
    );
    assert.match(c, /Install it, or give the full path to it\.$/);
    assert.match(
      await message('line.x'),
      /no program "npx no-such-thing" on its PATH \(\/no\/such bin\)\. A command is one program without its arguments/,
    );
    assert.match(await message('file.x'), /there is no file \/no\/such\/program\. Install it/);
  });

  it('is told by the interpreter of its script when that is not there', async (t) => {
    const script = join(await folder(t), 'script');
    await writeFile(script, '#!/no/such/interpreter\n', { mode: 0o755 });
    const { client } = await HubProcess.greeted(t, ['c', '---', script, '---']);
    assert.match(
      (await client.call('c.x')).error?.message ?? '',
      /the interpreter that \S+script names in its first line/,
    );
  });

  it('is told by its program when that may not be executed', async (t) => {
    const script = join(await folder(t), 'script');
    await writeFile(script, '', { mode: 0o644 });
    const { client } = await HubProcess.greeted(t, ['c', '---', script, '---']);
    assert.match((await client.call('c.x')).error?.message ?? '', /EACCES\. Check that \S+script may be executed/);
  });

  it('is told by its folder when that is not there', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), '--cwd', '/no/such/folder']);
    const { error } = await client.call('c.x');
    assert.equal(error?.code, 4410);
    assert.match(error?.message ?? '', /\/no\/such\/folder/);
  });
});
