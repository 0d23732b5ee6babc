import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { innerCall } from '../../hub/inner.js';
import { Frame } from '../../shared/jsonrpc.js';
import { joined } from '../../shared/parts.js';

const frame = (params: string): Frame =>
  Frame.parse(Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`));

describe('a call in a call', () => {
  it('is sent on with its arguments as the bytes that they are, and with all that stood beside the call', () => {
    const given = '{ "n": 12345678901234567890, "t":"\\u00e9\u00e9",\t"deep":{"a":[1.0, {}]}, "n":-0 }';
    const outer = frame(
      `{"_meta":{"progressToken":7,"x":1},"arguments":{"arguments":${given} ,"name":"c.\\u0065cho"},"name":"hub.call","task":{}}`,
    );
    const { name, edits } = innerCall(outer);
    assert.equal(name, 'c.echo');
    assert.equal(
      joined([outer.with(edits('e"cho'))]).toString(),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":7,"x":1},"arguments":${given},"name":"e\\"cho","task":{}}}`,
    );
  });

  it('without arguments has empty ones', () => {
    const outer = frame('{"name":"hub.call","arguments":{"name":"c.x"}}');
    assert.match(joined([outer.with(innerCall(outer).edits('x'))]).toString(), /"name":"x","arguments":\{\}\}\}$/);
  });

  for (const [what, params, message] of [
    ['without arguments', '{"name":"hub.call"}', /the name of the tool to call is missing/],
    ['whose arguments are a list', '{"name":"hub.call","arguments":[]}', /name of the tool to call is missing/],
    ['whose name is a number', '{"name":"hub.call","arguments":{"name":7}}', /name of the tool to call is missing/],
    [
      'with a text for arguments',
      '{"name":"hub.call","arguments":{"name":"c.x","arguments":"{}"}}',
      /c\.x are no object/,
    ],
    [
      'with null for arguments',
      '{"name":"hub.call","arguments":{"name":"c.x","arguments":null}}',
      /c\.x are no object/,
    ],
    ['with two names', '{"name":"hub.call","arguments":{"name":"c.x","name":"d.x"}}', /"name" stands twice/],
  ] as const) {
    it(`is refused ${what}`, () => {
      assert.throws(() => innerCall(frame(params)), message);
    });
  }
});
