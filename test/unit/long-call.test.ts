import { describe, it } from 'node:test';
import { Inside, tool } from '../kit/inside.js';

const [MINUTE, HOUR] = [60_000, 3_600_000];

describe('a call that takes very long', () => {
  it('is not cut off by any time that nobody set, with progress or without', async (t) => {
    const inside = new Inside();
    const client = await inside.client({ elicitation: {} });
    const child = await inside.child('c', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });

    const call = { name: 'c.x', _meta: { progressToken: 'p' } };
    client.send({ id: 1, method: 'tools/call', params: call });
    const { id } = await child.next({ method: 'tools/call' });
    for (let progress = 1; progress <= 10; progress += 1) {
      t.mock.timers.tick(MINUTE);
      child.send({ method: 'notifications/progress', params: { progressToken: id, progress } });
      await client.next({ method: 'notifications/progress', params: { progressToken: 'p', progress } });
    }
    t.mock.timers.tick(24 * HOUR);
    child.send({ id: 'q', method: 'elicitation/create', params: { message: 'Still there?' } });
    const question = await client.next({ method: 'elicitation/create' });
    t.mock.timers.tick(24 * HOUR);
    client.send({ id: question['id'], result: { action: 'decline' } });
    await child.next({ id: 'q', result: { action: 'decline' } });
    child.send({ id, result: { content: [] } });
    await client.next({ id: 1, result: { content: [] } });
  });
});
