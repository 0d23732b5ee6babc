/** Questions of servers that the hub puts itself, because the client cannot: in both eras on either side. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cleanup } from '../kit/cleanup.js';
import { CLIENTS } from '../kit/eras.js';
import { person } from '../kit/guarded.js';
import { child, PROGRAM, ROOT } from '../kit/hub.js';

const SCHEMA = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };

/** Clients that show no forms: they show nothing, or pages only. */
const SHOWN = [{}, { elicitation: { url: {} } }];

for (const [how, mode] of CLIENTS)
  for (const server of ['plain', 'modern'])
    for (const capabilities of SHOWN)
      describe(`a question of a ${server} server where a client ${how} shows no forms: ${JSON.stringify(capabilities)}`, () => {
        it('is put by the hub, and goes away with its call', async (t) => {
          const { env, helper } = await person(t);
          const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
          cleanup(t, () => client.close());
          const args = [PROGRAM, '--stdio', '--ask', 'helper', '--helper', helper.path, ...child('c', server)];
          await client.connect(
            new StdioClientTransport({ command: process.execPath, args, env, cwd: ROOT, stderr: 'ignore' }),
          );
          const call = async (signal?: AbortSignal): Promise<string> => {
            const asked = { name: 'c.ask', arguments: { message: 'Sure?', requestedSchema: SCHEMA } };
            const { content } = await client.callTool(asked, signal === undefined ? {} : { signal });
            return JSON.stringify(content);
          };
          const first = call();
          const put = await helper.next();
          assert.deepEqual([put.prompt.from, put.prompt.message], ['the server c', 'Sure?']);
          await put.answer({ decision: 'allow' });
          assert.match(await first, /\\"action\\":\\"accept\\",\\"content\\":\{\\"yes\\":true\}/);

          const second = call();
          await (await helper.next()).answer({ decision: 'deny' });
          assert.match(await second, /\\"action\\":\\"decline\\"/);

          const stop = new AbortController();
          const third = call(stop.signal);
          const open = await helper.next();
          stop.abort();
          await assert.rejects(third);
          await open.gone();
        });
      });
