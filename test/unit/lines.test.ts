import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Lines } from '../../shared/lines.js';

/** The lines of a text that comes in pieces. */
function lines(pieces: readonly Buffer[], cutter = new Lines()): string[] {
  const found: string[] = [];
  for (const piece of pieces) cutter.push(piece, (line) => found.push(line.toString()));
  return found;
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('Lines', () => {
  it('yields the same lines however the bytes come', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\r\n', '\u00fc', '\u{1f600}', ' ') });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, places) => {
        const expected = whole.split('\n').slice(0, -1);
        const full = expected.map((line) => line.replace(/\r$/, '')).filter((line) => line !== '');
        assert.deepEqual(lines(cut(Buffer.from(whole), places)), full);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps a character whole wherever it is cut', () => {
    const bytes = Buffer.from('a\u00e9\u20ac\u{1f600}z\n');
    for (let at = 0; at <= bytes.length; at += 1) {
      assert.deepEqual(lines([bytes.subarray(0, at), bytes.subarray(at)]), ['a\u00e9\u20ac\u{1f600}z']);
    }
    assert.deepEqual(lines([...bytes].map((byte) => Buffer.from([byte]))), ['a\u00e9\u20ac\u{1f600}z']);
  });

  it('takes both ends of a line, also when they come apart', () => {
    assert.deepEqual(lines(['one\r', '\ntwo\n\r\n', '\n', 'three\r\n'].map((text) => Buffer.from(text))), [
      'one',
      'two',
      'three',
    ]);
  });

  it('refuses a line as soon as it is too long, whether its end has come or not', () => {
    const tooLong = { kind: 'protocol', message: /longer than 4 bytes/ };
    assert.throws(() => lines([Buffer.from('12345')], new Lines(4)), tooLong);
    assert.throws(() => lines([Buffer.from('12345\n')], new Lines(4)), tooLong);
    assert.throws(
      () =>
        lines(
          ['123', '45\n'].map((text) => Buffer.from(text)),
          new Lines(4),
        ),
      tooLong,
    );
    assert.deepEqual(lines([Buffer.from('1234\n1234\n')], new Lines(4)), ['1234', '1234']);
  });

  it('gives what has come of the last line once', () => {
    const cutter = new Lines();
    assert.deepEqual(lines([Buffer.from('whole\nhal'), Buffer.from('f')], cutter), ['whole']);
    assert.equal(cutter.rest().toString(), 'half');
    assert.equal(cutter.rest().toString(), '');
  });

  it('costs as much as the line is long', () => {
    const cutter = new Lines();
    const piece = Buffer.alloc(4096, 'x');
    const start = performance.now();
    for (let sent = 0; sent < 10_485_760; sent += piece.length)
      cutter.push(piece, () => assert.fail('the line has not ended'));
    const found: Buffer[] = [];
    cutter.push(Buffer.from('\n'), (each) => found.push(each));
    const [line] = found;
    assert.equal(line?.length, 10_485_760);
    assert.ok(performance.now() - start < 3000);
  });
});
