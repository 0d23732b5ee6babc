/** Children that are slow to start, beside others. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, PROGRAM, ROOT } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

/** A child that does not greet as long as any test lasts. */
const stuck = (alias: string): string[] => child(alias, 'plain', '--greet-after', '600000');

describe('children that never get ready', () => {
  for (const eager of [[], ['--eager']])
    it(`delay no other ${eager[0] ?? 'lazy'} one, however many they are, nor the client`, async (t) => {
      const many = Array.from({ length: 9 }, (_, index) => [...stuck(`s${index}`), ...eager]).flat();
      const broken = ['broken', '---', 'no-such-program-here', '---', ...eager];
      const hub = await HubProcess.greeted(t, [...many, ...broken, ...child('good', 'plain'), ...eager]);
      const { client } = hub;
      // Calls to those that are stuck have them all start.
      for (let index = 0; index < 9; index += 1)
        client.send({ id: `stuck ${index}`, method: 'tools/call', params: { name: `s${index}.echo` } });
      assert.equal((await client.call('good.echo', { a: 1 })).text, '{"a":1}');
      assert.ok((await client.toolNames()).includes('good.echo'));
      assert.match((await client.call('broken.echo')).error?.message ?? '', /no program "no-such-program-here"/);
      for (let index = 0; index < 9; index += 1)
        client.send({ method: 'notifications/cancelled', params: { requestId: `stuck ${index}` } });
    });

  it('are not waited for with every list', async (t) => {
    const { client } = await HubProcess.greeted(t, [...stuck('s'), ...child('good', 'plain')]);
    assert.ok((await client.toolNames()).includes('good.echo'));
    // With a wait for each of them this would take minutes.
    for (let round = 0; round < 40; round += 1) await client.toolNames();
  });
});

describe('a start that takes long', () => {
  it('is told to whoever watches at a terminal', async (t) => {
    const env = await freshHome(t);
    const late = child('late', 'plain', '--greet-after', '4000').join("' '");
    const command = `exec '${process.execPath}' '${PROGRAM}' --bind 127.0.0.1:0 '${late}' --eager`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT, env });
    cleanup(t, async () => {
      terminal.kill('SIGKILL');
      await once(terminal.stdout, 'close');
    });
    let screen = '';
    terminal.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
    });
    await eventually('it says how long', () => /late: starting \(3 s\)/.test(screen));
    await eventually('it says that it is there', () => /late: started \(\d+ s\)/.test(screen));
  });

  it('is not told elsewhere', async (t) => {
    const late = child('late', 'plain', '--greet-after', '3500');
    const hub = await HubProcess.greeted(t, [...late, '--eager']);
    assert.equal((await hub.client.call('late.echo', { a: 1 })).text, '{"a":1}');
    await hub.close();
    assert.doesNotMatch(hub.stderr, /late: start/);
  });
});
