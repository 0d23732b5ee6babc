import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../shared/fault.js';
import { errorFault, errorObject, Frame } from '../../shared/jsonrpc.js';

const parse = (text: string): Frame => Frame.parse(Buffer.from(text));
const withId = (id: string): Frame => parse(`{"jsonrpc":"2.0","id":${id},"method":"m"}`);

describe('Frame', () => {
  for (const [kind, method, text] of [
    ['request', 'ping', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['notification', 'n/m', '{"method":"n/m","jsonrpc":"2.0"}'],
    ['result', '', '{"jsonrpc":"2.0","id":1,"result":null}'],
    ['error', '', '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'],
  ] as const) {
    it(`knows a ${kind}`, () => {
      const frame = parse(text);
      assert.deepEqual([frame.kind, frame.method], [kind, method]);
    });
  }

  for (const [what, text] of [
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['no version', '{"id":1,"method":"ping"}'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":1}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['an id that is a truth value', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
    ['neither method nor answer', '{"jsonrpc":"2.0","id":1}'],
    ['both result and error', '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'],
    ['two ids', '{"jsonrpc":"2.0","id":1,"\\u0069d":2,"method":"ping"}'],
    ['two methods', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}'],
    ['two members that JSON-RPC does not know', '{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":1}'],
    ['no JSON at all', 'Listening on port 80'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parse(text), { name: 'Fault', kind: 'protocol' });
    });
  }

  it('keeps an id as it was written', () => {
    for (const id of ['0', '""', '-1', '12345678901234567890123', '1.0', '"\\u0031"']) {
      assert.equal(withId(id).id.toString(), id);
    }
  });

  it('tells ids apart by kind and by every digit, not by spelling', () => {
    const keys = ['0', '"0"', '""', '9007199254740992', '9007199254740993'].map((id) => withId(id).idKey);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(withId('"a"').idKey, withId('"\\u0061"').idKey);
  });

  it('knows members by their decoded names, beside others and in any order', () => {
    const frame = parse(
      '{"x":{"id":9},"p\\u0061rams":{"n\\u0061me":"b"},"\\u006dethod":"m","\\u0069d":7,"jsonrpc":"2.0"}',
    );
    assert.deepEqual([frame.kind, frame.method, frame.idKey, frame.value('name')], ['request', 'm', 7, 'b']);
    assert.equal(parse('{"id":7,"\\u0072esult":{"id":8},"x":1,"jsonrpc":"2.0"}').kind, 'result');
  });

  it('refuses to look into parameters, or their _meta, that have two members of one name', () => {
    for (const params of [
      '"name":"a","n\\u0061me":"b"',
      '"x":1,"x":1',
      '"_meta":{},"_meta":{}',
      '"_meta":{"a":1,"a":2}',
    ]) {
      const frame = parse(`{"jsonrpc":"2.0","id":1,"method":"m","params":{${params}}}`);
      assert.throws(() => frame.at('_meta', 'progressToken'), { name: 'Fault', kind: 'protocol' }, params);
    }
  });

  it('finds members of its parameters by path', () => {
    const frame = parse('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"b":{"c":[1]}},"s":"{}"}}');
    assert.deepEqual(frame.value('a', 'b', 'c'), [1]);
    assert.deepEqual(frame.value('a'), { b: { c: [1] } });
    assert.equal(frame.value('a', 'x', 'c'), undefined);
    assert.equal(frame.value('s', 'b'), undefined);
  });

  it('has no parameters where they are absent or a list', () => {
    for (const params of ['', ',"params":[{"name":"x"}]', ',"params":null']) {
      const frame = parse(`{"jsonrpc":"2.0","id":1,"method":"m"${params}}`);
      assert.equal(frame.value('name'), undefined);
      assert.deepEqual(frame.params, {});
    }
  });
});

describe('a fault on the wire', () => {
  it('says what, why and what next', () => {
    const fault = new Fault('stale', 'it changed', { next: 'Read it again.', data: { now: 7 } });
    assert.deepEqual(errorObject(fault), {
      code: 4409,
      message: 'it changed. Read it again.',
      data: { kind: 'stale', next: 'Read it again.', now: 7 },
    });
  });

  it('never takes a code that JSON-RPC or MCP keep for themselves, but for their own meanings', () => {
    const kinds = ['denied', 'timeout', 'stale', 'gone', 'busy', 'cancelled'] as const;
    for (const kind of kinds) assert.ok(errorObject(new Fault(kind, '')).code > 0);
    assert.equal(errorObject(new Fault('unsupported', '')).code, -32601);
    assert.equal(errorObject(new Fault('invalid', '')).code, -32602);
  });

  it('is read back with who said it', () => {
    const fault = errorFault('vim', { code: 4410, message: 'it ended' });
    assert.deepEqual([fault.kind, fault.message], ['gone', 'vim: it ended']);
    assert.equal(errorFault('vim', { code: -32601, message: 'no' }).kind, 'unsupported');
    assert.match(errorFault('vim', 'nonsense').message, /vim: an error without a message/);
  });
});
