import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { oneLine } from '../../shared/one-line.js';

it('a text spread over lines becomes one line that means the same', () => {
  const space = fc.constantFrom(undefined, 1, '\t', '\n', '\r\n ');
  fc.assert(
    fc.property(fc.jsonValue(), space, (value, spacing) => {
      const spread = JSON.stringify(value, null, 2).replaceAll('\n', `\n${typeof spacing === 'string' ? spacing : ''}`);
      const line = oneLine(Buffer.from(spread)).toString();
      assert.doesNotMatch(line, /[\r\n]/);
      assert.deepEqual(JSON.parse(line), JSON.parse(spread));
    }),
  );
});

it('a line end in a string stays, so that the text is refused as before', () => {
  assert.equal(oneLine(Buffer.from('{"a\\"\n":\n1}')).toString(), '{"a\\"\n": 1}');
});
