/** A child that keeps failing to start. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { folder } from '../kit/home.js';
import { childCommand, HubProcess } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

it('is not tried for every call, calls say why and when, and hub.restart tries it at once', async (t) => {
  const place = await folder(t);
  const [program, starts] = [join(place, 'server'), join(place, 'starts')];
  await writeFile(program, `#!/bin/sh\necho . >>'${starts}'\necho no licence found >&2\nexit 4\n`, { mode: 0o755 });
  const { client } = await HubProcess.greeted(t, ['--status', 'bad', '---', program, '---', '--eager']);
  const started = async (): Promise<number> => (await readFile(starts, 'utf8')).trim().split('\n').length;
  const shown = async (): Promise<string> => (await client.call('hub.servers')).text;
  await eventually('it has failed five times', async () => /"failures_in_a_row":5/.test(await shown()), 30_000);
  assert.match(await shown(), /"state":"waiting to be started again".*"next_start_s":\d/);

  const before = await started();
  const said: string[] = [];
  await eventually(
    'its time has come',
    async () => {
      said.push((await client.call('bad.echo')).error?.message ?? 'no error');
      return (await started()) > before;
    },
    30_000,
  );
  for (const message of said)
    assert.match(
      message,
      /^bad is down: bad exited with code 4 \(it said last: no licence found\)\. It is .*started again.*; try then\. It has failed [56] times in a row/,
    );
  assert.match(said[0] ?? '', /It is started again in \d+ s/);

  await writeFile(program, `#!/bin/sh\nexec ${childCommand('plain').join(' ')}\n`, { mode: 0o755 });
  await eventually('it waits again', async () => /"state":"waiting/.test(await shown()));
  assert.match((await client.call('hub.restart', { server: 'bad' })).text, /"state":"running"/);
  assert.equal((await client.call('bad.echo', { a: 1 })).text, '{"a":1}');
  assert.doesNotMatch(await shown(), /failures_in_a_row|next_start/);
});
