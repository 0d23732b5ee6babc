/** What the hub says by itself, held against the protocol's own schemas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CancelledNotificationSchema,
  ClientRequestSchema,
  InitializeRequestSchema,
  InitializeResultSchema,
  JSONRPCErrorResponseSchema,
  ListPromptsResultSchema,
  ListToolsResultSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/core';
import { Hub } from '../../hub/hub.js';
import { memoryLinks } from '../../shared/link.js';
import { End } from '../kit/end.js';

test('every message that the hub makes itself fits the schema of the protocol', async () => {
  const [near, front] = memoryLinks();
  const [far, back] = memoryLinks();
  const hub = new Hub([]);
  void hub.serve(front);
  const client = new End('client', near);
  const child = new End('child', far);
  hub.children.dialledIn('vim', back);

  client.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: { roots: {} } } });
  const greeted = InitializeResultSchema.parse((await client.next({ id: 1 }))['result']);
  assert.equal(greeted.protocolVersion, '2025-06-18');
  client.send({ method: 'notifications/initialized' });

  const greeting = await child.next();
  assert.deepEqual(InitializeRequestSchema.parse(greeting).params.capabilities, { roots: {} });
  child.send({
    id: greeting['id'],
    result: { protocolVersion: '2024-11-05', capabilities: { tools: {}, prompts: {} } },
  });
  await child.next({ method: 'notifications/initialized' });
  const tools = await child.next({ method: 'tools/list' });
  const prompts = await child.next({ method: 'prompts/list' });
  ClientRequestSchema.parse(tools);
  child.send({ id: prompts['id'], result: { prompts: [{ name: 'greet' }] } });
  child.send({
    id: tools['id'],
    result: { tools: [{ name: 'slow', inputSchema: { type: 'object' } }], nextCursor: '' },
  });
  const more = ClientRequestSchema.parse(await child.next({ method: 'tools/list', params: { cursor: '' } }));
  assert.equal(more.method, 'tools/list');
  child.send({ id: 3, result: { tools: [{ name: 'quick', inputSchema: { type: 'object' } }] } });
  ToolListChangedNotificationSchema.parse(await client.next());
  await client.next({ method: 'notifications/prompts/list_changed' });

  client.send({ id: 2, method: 'tools/list' });
  const { tools: shown } = ListToolsResultSchema.parse((await client.next({ id: 2 }))['result']);
  assert.deepEqual(
    shown.map(({ name }) => name),
    ['vim.slow', 'vim.quick'],
  );
  client.send({ id: 3, method: 'prompts/list' });
  const listed = ListPromptsResultSchema.parse((await client.next({ id: 3 }))['result']);
  assert.equal(listed.prompts[0]?.name, 'vim.greet');

  client.send({ id: 4, method: 'prompts/get', params: { name: 'vim.greet' } });
  await child.next({ method: 'prompts/get', params: { name: 'greet' } });
  client.send({ method: 'notifications/cancelled', params: { requestId: 4 } });
  CancelledNotificationSchema.parse(await child.next());
  client.send({ id: 5, method: 'sampling/createMessage' });
  JSONRPCErrorResponseSchema.parse(await client.next({ id: 5 }));
  child.close();
  LoggingMessageNotificationSchema.parse(await client.next());
  client.close();
});
