/** Tasks of 2025-11-25, from servers to clients on SDK 1, through every way in and out. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  type ServerNotification,
  type Task,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from '../kit/cleanup.js';
import { dialProgram } from '../kit/dial.js';
import { freshHome } from '../kit/home.js';
import { child, childCommand, hubUrl, PROGRAM, ROOT } from '../kit/hub.js';
import { servedUrl } from '../kit/served.js';
import { eventually } from '../kit/until.js';

const RELATED = 'io.modelcontextprotocol/related-task';

/** How the child `c` comes to a hub over HTTP; its address. */
const CHILDREN: Readonly<Record<string, (t: TestContext) => Promise<string>>> = {
  spawned: (t) => hubUrl(t, [...child('c', 'tasked'), '--eager']),
  HTTP: async (t) => hubUrl(t, ['c', await servedUrl(t, 'tasked', '--http'), '--eager']),
  'dialled-in': async (t) => {
    const url = await hubUrl(t, []);
    await dialProgram(t, url, 'c', childCommand('tasked'));
    return url;
  },
};

/** A client, what it was told, and what it was asked. */
class Tasker {
  readonly client = new Client({ name: 'tasker', version: '1' }, { capabilities: { elicitation: {} } });
  readonly told: ServerNotification[] = [];
  readonly asked: { readonly message: string; readonly task: unknown }[] = [];

  private constructor() {
    for (const schema of [TaskStatusNotificationSchema, LoggingMessageNotificationSchema])
      this.client.setNotificationHandler(schema, (notification) => void this.told.push(notification));
    this.client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      this.asked.push({ message: params.message, task: params._meta?.[RELATED]?.taskId });
      return { action: 'accept', content: {}, _meta: params._meta };
    });
  }

  static async connect(t: TestContext, front: string | readonly string[]): Promise<Tasker> {
    const tasker = new Tasker();
    const transport =
      typeof front === 'string'
        ? new StreamableHTTPClientTransport(new URL(front))
        : new StdioClientTransport({
            command: process.execPath,
            args: [PROGRAM, '--stdio', ...front],
            env: await freshHome(t),
            cwd: ROOT,
            stderr: 'ignore',
          });
    cleanup(t, () => tasker.client.close());
    // Its types do not allow for exactOptionalPropertyTypes.
    await tasker.client.connect(transport as Parameters<Client['connect']>[0]);
    await eventually('the children are there', async () => (await tasker.client.listTools()).tools.length > 0);
    return tasker;
  }

  /** Begins a task. */
  async begin(name: string, key: string, meta: Record<string, unknown> = {}): Promise<Task> {
    const params = { name, arguments: { key }, task: { ttl: 600_000 }, _meta: meta };
    return (await this.client.request({ method: 'tools/call', params }, CreateTaskResultSchema)).task;
  }

  async call(name: string, key: string): Promise<string> {
    return textOf(await this.client.callTool({ name, arguments: { key } }));
  }

  async result(id: string): Promise<string> {
    return textOf(await this.client.experimental.tasks.getTaskResult(id, CallToolResultSchema));
  }

  async status(id: string): Promise<string> {
    return (await this.client.experimental.tasks.getTask(id)).status;
  }

  async list(): Promise<string[]> {
    return (await this.client.experimental.tasks.listTasks()).tasks.map(({ taskId }) => taskId);
  }

  /** The tasks in what it was told. */
  toldOf(method: string): unknown[] {
    const own = this.told.filter((each) => each.method === method);
    return own.map(({ params = {} }) => ('taskId' in params ? params.taskId : params._meta?.[RELATED]?.taskId));
  }
}

function textOf(result: Readonly<Record<string, unknown>>): string {
  const [block] = result['content'] as { text?: string }[];
  return block?.text ?? '';
}

function unknownTask(error: unknown): boolean {
  assert.match(String(error), /-32602.*there is no task/);
  return true;
}

for (const [how, open] of Object.entries(CHILDREN)) {
  describe(`tasks of a ${how} child`, () => {
    it('begin, wait, ask the client that began them, and are done', async (t) => {
      const one = await Tasker.connect(t, await open(t));
      assert.deepEqual(one.client.getServerCapabilities()?.tasks, {
        list: {},
        cancel: {},
        requests: { tools: { call: {} } },
      });
      const { tools } = await one.client.listTools();
      assert.equal(tools.find(({ name }) => name === 'c.work')?.execution?.taskSupport, 'optional');

      const { taskId, status, ttl } = await one.begin('c.work', 'a');
      assert.deepEqual([status, ttl], ['working', 600_000]);
      const waiting = one.result(taskId);
      assert.equal(await one.status(taskId), 'working');
      assert.equal(await one.call('c.finish', 'a'), 'finished');
      assert.equal(await waiting, 'done a');
      assert.equal(await one.status(taskId), 'completed');

      const asking = await one.begin('c.ask', 'sure?');
      assert.equal(await one.result(asking.taskId), 'accept');
      assert.deepEqual(one.asked, [{ message: 'c: sure?', task: asking.taskId }]);
    });

    it('are each client’s own', async (t) => {
      const url = await open(t);
      const [one, two] = [await Tasker.connect(t, url), await Tasker.connect(t, url)];
      const [mine, yours] = [await one.begin('c.work', '1'), await two.begin('c.work', '2')];
      assert.deepEqual([await one.list(), await two.list()], [[mine.taskId], [yours.taskId]]);
      const { tasks } = two.client.experimental;
      await assert.rejects(tasks.getTask(mine.taskId), unknownTask);
      await assert.rejects(tasks.cancelTask(mine.taskId), unknownTask);
      await assert.rejects(tasks.getTaskResult(mine.taskId, CallToolResultSchema), unknownTask);
      await assert.rejects(tasks.getTask(mine.taskId.replace(/\d+$/, '2')), unknownTask);

      assert.equal((await one.client.experimental.tasks.cancelTask(mine.taskId)).status, 'cancelled');
      assert.equal(await one.call('c.state', '1'), 'cancelled');
      const next = await one.begin('c.work', '3');
      await one.call('c.finish', '3');
      await two.call('c.step', '2');
      await two.call('c.finish', '2');
      assert.equal(await two.result(yours.taskId), 'done 2');
      await eventually('each is told of its own', () => one.toldOf('notifications/tasks/status').length > 0);
      await eventually('each is told of its own', () => two.toldOf('notifications/message').length > 0);
      assert.deepEqual([...new Set(one.toldOf('notifications/tasks/status'))], [next.taskId]);
      assert.deepEqual(one.toldOf('notifications/message'), []);
      assert.deepEqual([...new Set(two.toldOf('notifications/tasks/status'))], [yours.taskId]);
      assert.deepEqual(two.toldOf('notifications/message'), [yours.taskId]);
    });

    it('end with the session of their client', async (t) => {
      const url = await open(t);
      const [one, two] = [await Tasker.connect(t, url), await Tasker.connect(t, url)];
      await one.begin('c.work', '1');
      const session = one.client.transport as StreamableHTTPClientTransport;
      await session.terminateSession();
      await eventually('the child knows', async () => (await two.call('c.state', '1')) === 'cancelled');
    });
  });
}

describe('tasks', () => {
  const both = [...child('b', 'tasked'), '--eager', ...child('c', 'tasked'), '--eager'];

  it('of two children with the same ids are told apart', async (t) => {
    const one = await Tasker.connect(t, both);
    const [b, c] = [await one.begin('b.work', '1'), await one.begin('c.work', '1')];
    assert.deepEqual(
      [b, c].map(({ taskId }) => taskId.replace(/\..*\.task/, ' task')),
      ['b task.1', 'c task.1'],
    );
    assert.deepEqual((await one.list()).sort(), [b.taskId, c.taskId].sort());
    await one.call('c.finish', '1');
    assert.equal(await one.result(c.taskId), 'done 1');
    assert.deepEqual([await one.status(b.taskId), await one.status(c.taskId)], ['working', 'completed']);
  });

  it('go on telling of their progress after they have begun', async (t) => {
    const one = await Tasker.connect(t, both);
    const heard: unknown[] = [];
    one.client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void heard.push(params));
    const { taskId } = await one.begin('c.work', '1', { progressToken: 'mine' });
    await one.call('c.step', '1');
    const _meta = { [RELATED]: { taskId } };
    await eventually('it has heard', () => heard.length > 0);
    assert.deepEqual(heard, [{ progressToken: 'mine', progress: 1, _meta }]);
    await one.call('c.finish', '1');
    assert.equal(await one.status(taskId), 'completed');
    await one.call('c.step', '1');
    await one.client.ping();
    assert.equal(heard.length, 1);
  });

  it('keep their child from being stopped for having nothing to do, until they are over', async (t) => {
    const lazy = [...child('c', 'tasked'), '--idle', '0.2', ...child('d', 'tasked'), '--idle', '0.2'];
    const one = await Tasker.connect(t, ['--status', ...lazy]);
    const states = async (): Promise<string[]> => {
      const { structuredContent } = await one.client.callTool({ name: 'hub.servers', arguments: {} });
      return (structuredContent as { servers: { state: string }[] }).servers.map(({ state }) => state);
    };
    const task = await one.begin('c.work', '1');
    assert.equal(await one.call('d.state', '1'), 'unknown');
    await eventually('the other is stopped', async () => (await states())[1] === 'stopped');
    assert.deepEqual(await states(), ['running', 'stopped']);
    await one.call('c.finish', '1');
    assert.equal(await one.result(task.taskId), 'done 1');
    assert.equal(await one.status(task.taskId), 'completed');
    await eventually('this one, too', async () => (await states())[0] === 'stopped');
  });

  it('of a child behind another hub pass it under an id of each hub', async (t) => {
    const behind = await hubUrl(t, [...child('c', 'tasked'), '--eager']);
    const one = await Tasker.connect(t, ['b', behind, '--eager']);
    const { taskId } = await one.begin('b.c.ask', 'sure?');
    assert.equal(await one.result(taskId), 'accept');
    assert.deepEqual(one.asked, [{ message: 'b: c: sure?', task: taskId }]);
    assert.deepEqual(await one.list(), [taskId]);
  });

  it('of the reference server ask and are done', async (t) => {
    const program = join(ROOT, 'node_modules/.bin/mcp-server-everything');
    const one = await Tasker.connect(t, ['all', '---', process.execPath, program, '---', '--eager']);
    const params = { name: 'all.simulate-research-query', arguments: { topic: 'python', ambiguous: true } };
    const seen: string[] = [];
    for await (const message of one.client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
      task: {},
    })) {
      seen.push(message.type);
      if (message.type === 'result') assert.match(textOf(message.result), /python/);
      if (message.type === 'error') throw message.error;
    }
    assert.deepEqual([seen[0], seen.at(-1)], ['taskCreated', 'result']);
    assert.equal(one.asked.length, 1);
    assert.match(String(one.asked[0]?.task), /^all\./);
  });

  it('are none of a child that has none, whose calls are done at once', async (t) => {
    const url = await hubUrl(t, [...child('c', 'plain'), '--eager']);
    const one = await Tasker.connect(t, url);
    assert.equal(textOf(await one.client.callTool({ name: 'c.echo', arguments: {} })), '{}');
    assert.deepEqual(await one.list(), []);
  });
});
