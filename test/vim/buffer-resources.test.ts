import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker } from './broker.js';
import { pair, stage } from './fixture.js';

describe('buffers as resources', () => {
  const at = pair();

  it('are listed, and read with what is not saved', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    const { resources } = await at.broker.client.listResources();
    const found = resources.find(({ uri }) => uri === `vim://ed/${buffer}`);
    assert.equal(found?.name, `buffer ${buffer}`);
    const { contents } = await at.broker.client.readResource({ uri: `vim://ed/${buffer}` });
    const changedtick = await at.vim.tick(buffer);
    assert.deepEqual(contents, [
      { uri: `vim://ed/${buffer}`, mimeType: 'text/plain', text: 'one\ntwo\n', _meta: { changedtick } },
    ]);
    await at.vim.typed('ggAx\x1b');
    const again = await at.broker.client.readResource({ uri: `vim://ed/${buffer}` });
    assert.equal((again.contents[0] as { text: string }).text, 'onex\ntwo\n');
    const { resourceTemplates } = await at.broker.client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['vim://{target}/{buffer}'],
    );
  });

  it('tell who subscribed that they changed, until that ends', async () => {
    const buffer = await at.vim.buffer(['one']);
    const other = await at.vim.buffer(['other']);
    const uri = `vim://ed/${buffer}`;
    const updates: string[] = [];
    at.broker.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updates.push(params.uri);
    });
    await at.broker.client.subscribeResource({ uri });
    await at.broker.client.readResource({ uri: `vim://ed/${other}` });
    await at.vim.typed('Ax\x1b');
    await at.vim.ex(`b ${buffer}`);
    await at.vim.typed('Ax\x1bAy\x1bAz\x1b');
    await eventually('an update', async () => updates.length > 0);
    assert.deepEqual([...new Set(updates)], [uri]);
    await at.broker.client.unsubscribeResource({ uri });
    updates.length = 0;
    await at.vim.typed('Ax\x1b');
    const seen = await at.broker.call('watch', { buffer, since: 1, settle_ms: 400 });
    assert.equal(seen.isError, false, seen.text);
    assert.deepEqual(updates, []);
  });

  it('are unknown by other names', async () => {
    for (const uri of ['vim://ed/0', 'vim://nobody/1', 'vim://ed/x', 'file:///etc/passwd']) {
      await assert.rejects(at.broker.client.readResource({ uri }), /not found/i, uri);
    }
    await assert.rejects(at.broker.client.readResource({ uri: 'vim://ed/4711' }), /there is no buffer 4711/);
  });
});

describe('buffers as resources of a client of the revision 2026-07-28', () => {
  const at = stage();

  it('tell who listens that they changed', async () => {
    const broker = at.own(await Broker.start(at.home, [], { modern: true }));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const buffer = await vim.buffer(['one']);
    const uri = `vim://ed/${buffer}`;
    const updates: string[] = [];
    broker.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updates.push(params.uri);
    });
    await broker.client.readResource({ uri });
    const listening = await broker.client.listen({ resourceSubscriptions: [uri] });
    await vim.typed('Ax\x1b');
    await eventually('an update', async () => updates.includes(uri));
    await listening.close();
  });
});
