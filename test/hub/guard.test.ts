/** The hub's own permissions: rules and questions for the tools of any server (`--guard`). */
import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Gate } from '../../hub/gate.js';
import type { Message } from '../kit/end.js';
import { person } from '../kit/guarded.js';
import { folder, setVariable } from '../kit/home.js';
import { childCommand, HubProcess, run } from '../kit/hub.js';
import { answerNext, Inside } from '../kit/inside.js';
import { eventually } from '../kit/until.js';

describe('the rules of the hub', () => {
  it('decide in their order, unasked, by what the server says of a tool', async (t) => {
    const { server, env, calls, writeRules, rules } = await person(t);
    await writeRules(
      [
        '[rule]\ndecision=allow\naction=*\nsubject=tool:notes:pid',
        '[rule]\ndecision=deny\naction=write\nsubject-prefix=tool:notes:',
        '[rule]\ndecision=allow\naction=add\nsubject-prefix=tool:',
        '',
      ].join('\n'),
    );
    const { client } = await HubProcess.greeted(t, ['--guard', ...server], env);
    assert.match((await client.call('notes.pid')).text, /^\d+$/);
    assert.equal((await client.call('notes__adds')).text, 'this is adds');
    const denied = await client.call('notes.echo', { a: 1 });
    assert.match(denied.text, new RegExp(`"echo" of the server notes is denied by the rule at ${rules}:5`));
    assert.equal((denied.message['result'] as Message)['isError'], true);
    assert.deepEqual(
      (await calls()).map((each) => (each as string[])[0]),
      ['pid', 'adds'],
    );
    const tested = await run(['rules', 'test', 'hub-default', '--action', 'write', '--subject', 'tool:notes:x'], env);
    assert.match(tested.stdout, /^1: .*another subject\n2: .*this one decides \(.*hub-default\.ini:5\): deny\n$/s);
    const none = await run(['rules', 'test', 'hub-default', '--action', 'read', '--subject', 'tool:notes:x'], env);
    assert.match(none.stdout, /no rule decides it: what --auto-allow says, else what only reads is allowed/);

    // A rule counts from the next call on; a broken one denies all.
    await writeRules('[rule]\ndecision=deny\naction=read\n');
    assert.match((await client.call('notes.look')).text, /hub-default\.ini:1$|hub-default\.ini:1\./);
    await appendFile(rules, '\n[rule]\ndecision=allow\naction=save\n');
    const broken = await client.call('notes.look');
    assert.match(broken.text, /hub-default\.ini:5: .*action is one of read, add, write/);
  });

  it('take no paths, and no subject that is none', async (t) => {
    const { env } = await person(t);
    const add = (...args: readonly string[]) =>
      run(['rules', 'add', 'hub-default', '--decision', 'deny', '--action', 'write', ...args], env);
    assert.match((await add('--path', '/etc/**')).stderr, /a path means nothing here/);
    assert.match((await add('--subject', 'target:notes')).stderr, /a subject is tool:ALIAS:NAME/);
    assert.match((await add('--subject-prefix', 'tool:no')).stderr, /up to one of its colons/);
    const subject = 'tool:notes:a:b "\u202e\n*';
    assert.equal((await add('--subject', subject)).code, 0);
    const { stdout } = await run(['rules', 'test', 'hub-default', '--action', 'write', '--subject', subject], env);
    assert.match(stdout, /this one decides/);
  });

  it('hold for one server only where its entry in a file says so', async (t) => {
    const { env, server } = await person(t);
    const file = join(await folder(t), 'servers.json');
    const [command, ...args] = childCommand('plain');
    await writeFile(file, JSON.stringify({ mcpServers: { held: { command, args, guard: true } } }));
    const { client } = await HubProcess.greeted(t, ['--ask', 'mcp', '--config', file, ...server], env);
    assert.match((await client.call('held.echo')).text, /this client cannot ask for it/);
    assert.equal((await client.call('notes.echo', { a: 1 })).text, '{"a":1}');
    const pid = (await client.call('held.env')).text;
    assert.match(pid, /cannot ask/);
    await writeFile(file, JSON.stringify({ mcpServers: { held: { command, args } } }));
    await eventually('the file is followed', async () => (await client.call('held.echo', { b: 1 })).text === '{"b":1}');
  });
});

describe('a guarded call where the client cannot ask', () => {
  it('is asked about on this machine, once for all that are the same', async (t) => {
    const { env, server, helper, calls } = await person(t);
    const { client } = await HubProcess.greeted(t, ['--guard', '--helper', helper.path, ...server], env);
    const both = [client.call('notes.echo', { text: 'a\u202eb' }), client.call('notes.echo', { text: 'a\u202eb' })];
    const put = await helper.next();
    assert.deepEqual(put.prompt, {
      from: 'mcp-multibroker default',
      message:
        'Allow the tool "echo" of the server notes, which may change or destroy something, with these arguments?',
      details: '{\n  "text": "a\\u{202e}b"\n}\n(19 characters)',
      action: 'write',
      subject: 'tool:notes:echo',
      scopes: ['the tool "echo" of the server notes, with any arguments', 'write by all tools of the server notes'],
      terminal: false,
    });
    assert.deepEqual(await calls(), []);
    await put.answer({ decision: 'allow', scope: 1 });
    assert.deepEqual(
      (await Promise.all(both)).map(({ text }) => text),
      ['{"text":"a\u202eb"}', '{"text":"a\u202eb"}'],
    );
    assert.match((await client.call('notes.pid')).text, /^\d+$/);
    assert.equal((await helper.asked()).length, 1);
  });

  it('is denied when nobody can be asked, and withdrawn when it is cancelled', async (t) => {
    const { env, server, helper, calls } = await person(t);
    const { client } = await HubProcess.greeted(t, ['--guard', '--helper', helper.path, ...server], env);
    void client.request('tools/call', { name: 'notes.echo', arguments: {} }, 'gone').catch(() => undefined);
    const put = await helper.next();
    client.send({ method: 'notifications/cancelled', params: { requestId: 'gone' } });
    await put.gone();
    const other = client.call('notes.pid');
    await (await helper.next()).answer('nonsense');
    assert.match((await other).text, /could not be asked: helper gave no proper answer/);
    assert.deepEqual(await calls(), []);
  });

  it('is not asked in another way once the client has said no', async (t) => {
    const { env, server, helper } = await person(t);
    const { client } = await HubProcess.start(t, ['--guard', '--helper', helper.path, ...server], env);
    client.answers.set('elicitation/create', () => ({ action: 'cancel' }));
    await client.greet({ elicitation: {} });
    assert.match((await client.call('notes.echo')).text, /did not allow it/);
    assert.deepEqual(await helper.asked(), []);
  });
});

const KEY = 'io.modelcontextprotocol';
const META = {
  [`${KEY}/protocolVersion`]: '2026-07-28',
  [`${KEY}/clientInfo`]: { name: 'raw', version: '1' },
  [`${KEY}/clientCapabilities`]: { elicitation: {} },
};

describe('what is decided on the command line for the tools of all servers', () => {
  const outcomes = async ({ client }: HubProcess): Promise<string[]> => {
    const said: string[] = [];
    for (const tool of ['look', 'adds', 'echo']) {
      const { text } = await client.call(`notes.${tool}`, {});
      said.push(/denied by [^.]*|not be asked|this is \w+|^\{\}$/.exec(text)?.[0] ?? text);
    }
    return said;
  };

  for (const [args, expected] of [
    [
      ['--auto-allow', '*'],
      ['this is look', 'this is adds', 'not be asked'],
    ],
    [
      ['--auto-allow', '*,write'],
      ['this is look', 'this is adds', '{}'],
    ],
    [
      ['--auto-deny', 'write', '--auto-allow', 'add,write'],
      ['this is look', 'this is adds', 'denied by --auto-deny'],
    ],
    [
      ['--auto-deny', '*'],
      ['denied by --auto-deny', 'denied by --auto-deny', 'denied by --auto-deny'],
    ],
    [
      ['--read-only', '--auto-allow', '*,write'],
      ['this is look', 'denied by --read-only', 'denied by --read-only'],
    ],
  ] as const)
    it(`holds without another word: ${args.join(' ')}`, async (t) => {
      const { env, server } = await person(t);
      assert.deepEqual(await outcomes(await HubProcess.greeted(t, [...args, ...server], env)), expected);
    });

  it('yields to rules where it allows, and not where it denies', async (t) => {
    const { env, server, writeRules } = await person(t);
    await writeRules(
      '[rule]\ndecision=deny\naction=add\n[rule]\ndecision=allow\naction=write\nsubject-prefix=tool:notes:\n',
    );
    const args = ['--auto-allow', 'add', '--auto-deny', 'write', ...server];
    const [look, adds, echo] = await outcomes(await HubProcess.greeted(t, args, env));
    assert.match(adds ?? '', /denied by the rule at/);
    assert.deepEqual([look, echo], ['this is look', 'denied by --auto-deny']);
  });

  it('offers with --read-only nothing that changes something, wherever it is looked for', async (t) => {
    const { env, server } = await person(t);
    const all = await HubProcess.greeted(t, ['--read-only', '--status', ...server, '--eager'], env);
    await eventually('the server has said what it has', async () =>
      (await all.client.toolNames()).includes('notes.look'),
    );
    const names = await all.client.toolNames();
    assert.ok(names.includes('hub.servers'));
    for (const name of ['notes.adds', 'notes.echo', 'hub.restart', 'hub.stop']) assert.ok(!names.includes(name), name);
    const few = await HubProcess.greeted(t, ['--read-only', '--expose', 'search', ...server], env);
    assert.deepEqual((await few.client.toolNames()).sort(), [
      'hub.call',
      'hub.describe',
      'hub.find',
      'hub.instructions',
      'hub.servers',
    ]);
    const { text } = await few.client.call('hub.find', { words: '' });
    assert.match(text, /notes\.look/);
    assert.doesNotMatch(text, /notes\.(adds|echo)/);
    assert.equal((await few.client.call('hub.call', { name: 'notes.look' })).text, 'this is look');
    assert.match(
      (await few.client.call('hub.call', { name: 'notes.echo', arguments: {} })).text,
      /denied by --read-only/,
    );
  });

  it('is refused where it is none', async (t) => {
    const { env } = await person(t);
    const { code, stderr } = await run(['--auto-allow', 'save'], env);
    assert.deepEqual(
      [code, stderr],
      [2, 'mcp-multibroker: error: "save" is no action. The actions are read, add, write and *.\n'],
    );
  });
});

/** A hub in this process that asks through its clients. */
async function guarded(t: TestContext): Promise<Inside> {
  const { env } = await person(t);
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME']) setVariable(t, name, env[name]);
  const decided = { allow: new Set<string>(), deny: new Set<string>() };
  const asking = { name: 'default', way: 'auto', helper: undefined, isChosen: false } as const;
  return new Inside({ gate: new Gate({ guard: true, decided, readOnly: false, pin: false, asking }) });
}

describe('what was decided on', () => {
  it('is what crosses, to the last byte, whatever comes with the answer', async (t) => {
    const inside = await guarded(t);
    inside.hub.children.offer({ elicitation: {} });
    const client = inside.silentClient();
    const server = await inside.child('c', [{ name: 'do', inputSchema: { type: 'object' } }]);
    const call = (id: number, number: string, more = ''): void =>
      client.sendText(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${more}"_meta":${JSON.stringify({ ...META, progressToken: `p${id}` })},"name":"c.do","arguments":{ "n": ${number}}}}`,
      );
    call(1, '12345678901234567890');
    const { result } = await client.next({ id: 1, result: { resultType: 'input_required' } });
    const { requestState } = result as { requestState: string };
    const answers = { permission: { action: 'accept', content: { decision: 'allow' } } };
    const brought = `"requestState":${JSON.stringify(requestState)},"inputResponses":${JSON.stringify(answers)},`;
    // The same number to whoever reads it as a double.
    call(22, '12345678901234567891', brought);
    const sent = await server.nextBytes();
    assert.match(sent.toString(), /"arguments":\{ "n": 12345678901234567890\}/);
    assert.doesNotMatch(sent.toString(), /requestState|inputResponses|c\.do/);
    const { id, params } = JSON.parse(sent.toString()) as { id: number; params: Message };
    assert.equal(params['name'], 'do');
    assert.equal((params['_meta'] as Message)['progressToken'], id);
    server.send({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    await client.next({ method: 'notifications/progress', params: { progressToken: 'p22' } });
    server.send({ id, result: { content: [] } });
    await client.next({ id: 22, result: { content: [], resultType: 'complete' } });
    // The answer was good for one call.
    call(3, '12345678901234567890', brought);
    await client.next({ id: 3, error: { message: /was used before/ } });
  });

  it('is another call when its arguments are', async (t) => {
    const inside = await guarded(t);
    const client = inside.silentClient();
    inside.hub.children.offer({});
    await inside.child('c', [{ name: 'do', inputSchema: { type: 'object' } }]);
    const params = { _meta: META, name: 'c.do', arguments: { a: 1 } };
    client.send({ id: 1, method: 'tools/call', params });
    const { result } = await client.next({ id: 1 });
    const { requestState } = result as Message;
    const inputResponses = { permission: { action: 'accept', content: { decision: 'allow' } } };
    const other = { ...params, arguments: { a: 2 }, requestState, inputResponses };
    client.send({ id: 2, method: 'tools/call', params: other });
    await client.next({ id: 2, error: { message: /was not given out for this call/ } });
  });

  it('is shown without anything that could deceive, behind a name that no server can have', async (t) => {
    const inside = await guarded(t);
    inside.hub.children.offer({});
    const client = await inside.client({ elicitation: {} });
    const name = 'ok" of the server safe\u202e\n"';
    const server = await inside.child('mcp-multibroker', [{ name, inputSchema: { type: 'object' } }], {
      serverInfo: { name: 'x' },
    });
    await client.next({ method: 'notifications/tools/list_changed' });
    client.send({ id: 1, method: 'tools/call', params: { name: `mcp-multibroker.${name}`, arguments: {} } });
    const question = await client.next({ method: 'elicitation/create' });
    const { message } = question['params'] as { message: string };
    assert.equal(
      message.split('\n')[0],
      String.raw`mcp-multibroker default: Allow the tool "ok\" of the server safe\u{202e}\n\"" of the server mcp-multibroker, which may change or destroy something, with these arguments?`,
    );
    client.send({ id: question['id'], result: { action: 'accept', content: { decision: 'allow' } } });
    await answerNext(server, 'tools/call', { content: [] }, { name });
    await client.next({ id: 1, result: {} });
  });
});

describe('a question of a server where the client shows no forms', () => {
  const text = { type: 'string' };

  it('is put on this machine where it comes to a yes or a no', async (t) => {
    const { env, server, helper } = await person(t);
    const { client } = await HubProcess.greeted(t, ['--ask', 'helper', '--helper', helper.path, ...server], env);
    const ask = async (properties: Message, required: readonly string[], answer: Message): Promise<unknown> => {
      const requestedSchema = { type: 'object', properties, required };
      const call = client.call('notes.ask', { message: 'Sure?\u202e\nReally.', requestedSchema });
      const put = await helper.next();
      assert.equal(put.prompt.from, 'the server notes');
      assert.equal(put.prompt.message, 'Sure?\\u{202e}');
      assert.match(put.prompt.details ?? '', /^Really\.\n/);
      await put.answer(answer);
      return JSON.parse((await call).text);
    };
    const yes = { type: 'boolean' };
    assert.deepEqual(await ask({ yes, why: text }, ['yes'], { decision: 'allow' }), {
      action: 'accept',
      content: { yes: true },
    });
    assert.deepEqual(await ask({ yes }, [], { decision: 'deny' }), { action: 'decline' });
    const decision = { ...text, enum: ['allow', 'allow always', 'deny', 'deny always'] };
    const permission = { decision, scope: { ...text, enum: ['here', 'there'] }, reason: text };
    assert.deepEqual(await ask(permission, ['decision'], { decision: 'deny', scope: 1, reason: 'no' }), {
      action: 'accept',
      content: { decision: 'deny always', scope: 'there', reason: 'no' },
    });
  });

  it('is declined where it wants to know anything else', async (t) => {
    const { env, server, helper } = await person(t);
    const { client } = await HubProcess.greeted(t, ['--ask', 'helper', '--helper', helper.path, ...server], env);
    const two = { a: { type: 'boolean' }, b: { type: 'boolean' } };
    const colour = { colour: { ...text, enum: ['red', 'blue'] } };
    const seen = { decision: { ...text, enum: ['allow', 'deny'] }, seen: { type: 'boolean' } };
    for (const properties of [two, colour, seen, { name: text }, {}]) {
      const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
      assert.equal((await client.call('notes.ask', { message: 'x', requestedSchema })).text, '{"action":"decline"}');
    }
    assert.deepEqual(await helper.asked(), []);
  });
});
