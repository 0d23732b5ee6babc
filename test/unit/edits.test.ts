import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Edit, loadFor, resolve } from '../../child-vim/edits.js';
import { measure, type Position, Positions, UNITS, type Unit } from '../../child-vim/offsets.js';
import { inOrder, lineOperations, outcomes } from '../../child-vim/splices.js';
import { edited, textOf } from '../kit/text.js';

/** All lines, each ended by a newline. */
function joined(lines: readonly string[]): string {
  return textOf(lines).count === 0 ? '' : lines.map((line) => `${line}\n`).join('');
}

/** The same the other way round; a newline missing at the end is put there. */
function split(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

const piece = fc.constantFrom('', 'a', 'b', ' ', '\t', 'ü', '🙂', 'e\u0301', '日本', '\r', 'aa');
const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
const document = fc.array(line, { minLength: 1, maxLength: 12 });
const added = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n').replaceAll('\r', ''));

/** Places between the characters of a text, from 0 to its end. */
function boundaries(text: string): number[] {
  let at = 0;
  return [0, ...[...text].map((character) => (at += character.length))];
}

/** A place as one of the forms a caller may give. */
function position(text: string, at: number, unit: Unit, asOffset: boolean): Position {
  const before = text.slice(0, at);
  if (asOffset) return measure(before, unit);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: measure(before.slice(start), unit) + 1 };
}

describe('edits', () => {
  it('by position come out as in one string', () => {
    const spans = fc.array(
      fc.record({ from: fc.nat(), length: fc.nat(6), text: added, asOffset: fc.boolean(), isInsert: fc.boolean() }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(document, spans, fc.constantFrom(...UNITS), (lines, wanted, unit) => {
        const text = joined(lines);
        const places = boundaries(text);
        const edits: Edit[] = [];
        let result = '';
        let done = 0;
        let last = -1;
        for (const { from, length, text: now, asOffset, isInsert } of wanted) {
          const row = last + 1 + (from % 5);
          const end = Math.min(isInsert ? row : row + length, places.length - 1);
          if (row >= places.length) break;
          const [start = 0, stop = 0] = [places[row], places[end]];
          const at = (place: number): Position => position(text, place, unit, asOffset);
          edits.push(
            start === stop
              ? { kind: 'insert', at: at(start), text: now }
              : { kind: 'range', start: at(start), end: at(stop), text: now },
          );
          result += text.slice(done, start) + now;
          done = stop;
          last = Math.max(row, end - 1);
        }
        fc.pre(edits.length > 0);
        assert.deepEqual(edited(lines, edits.toReversed(), unit), split(result + text.slice(done)));
      }),
      { numRuns: 2000 },
    );
  });

  it('by search come out as in one string', () => {
    fc.assert(
      fc.property(document, fc.oneof(line, added, fc.constant('\n')), added, fc.boolean(), (lines, old, now, all) => {
        fc.pre(old !== '');
        const text = joined(lines);
        const places = text.split(old).length - 1;
        const one: Edit = { kind: 'replace', old, new: now, all };
        if (places === 0) assert.throws(() => edited(lines, [one]), /^Fault: operations\[0\]\.old matches 0 times/);
        else if (all) assert.deepEqual(edited(lines, [one]), split(text.split(old).join(now)));
        else if (text.indexOf(old) === text.lastIndexOf(old)) {
          assert.deepEqual(edited(lines, [one]), split(text.split(old).join(now)));
        } else assert.throws(() => edited(lines, [one]), /matches \d+ times, at lines \d/);
      }),
      { numRuns: 1000 },
    );
  });

  /** Lines as Vim shows them: one empty line for none. */
  const shown = (lines: string[]): string[] => (lines.length === 0 ? [''] : lines);
  /** The lines that a text given for whole lines comes to. */
  const whole = (text: string): string[] => (text === '' ? [] : split(text));
  const wholeText = fc.tuple(added, fc.boolean()).map(([text, isEnded]) => (isEnded ? `${text}\n` : text));

  it('of whole lines come out as in a list', () => {
    fc.assert(
      fc.property(document, fc.nat(11), fc.nat(11), wholeText, (lines, a, b, text) => {
        const first = Math.min(a, b, lines.length - 1) + 1;
        const last = Math.min(Math.max(a, b), lines.length - 1) + 1;
        const wanted = lines.toSpliced(first - 1, last - first + 1, ...whole(text));
        assert.deepEqual(edited(lines, [{ kind: 'lines', first, last, text }]), shown(wanted));
        assert.deepEqual(edited(lines, [{ kind: 'document', text }]), shown(whole(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it('put whole lines in after a line', () => {
    fc.assert(
      fc.property(document, fc.nat(12), wholeText, (lines, row, text) => {
        const after = Math.min(row, lines.length);
        const old = textOf(lines).count === 0 ? [] : lines;
        assert.deepEqual(
          edited(lines, [{ kind: 'insert-lines', after, text }]),
          shown(old.toSpliced(after, 0, ...whole(text))),
        );
      }),
    );
  });

  it('write no line that stays', () => {
    const text = textOf(['a', 'b', 'c', 'd']);
    const operations = (edits: Edit[]): unknown => lineOperations(inOrder(resolve(edits, 'char', text)), text);
    assert.deepEqual(operations([{ kind: 'document', text: 'a\nB\nc\nd\ne' }]), [
      [2, 2, ['B']],
      [5, 4, ['e']],
    ]);
    assert.deepEqual(operations([{ kind: 'lines', first: 1, last: 3, text: 'a\nc' }]), [[2, 2, []]]);
    assert.deepEqual(operations([{ kind: 'insert-lines', after: 1, text: 'b' }]), [[2, 1, ['b']]]);
    assert.deepEqual(operations([{ kind: 'replace', old: 'b', new: 'b' }]), []);
  });

  it('tell the lines they made', () => {
    const lines = ['one', 'two', 'three', 'four', 'five'];
    const edits: Edit[] = [
      { kind: 'replace', old: 'e', new: 'E', all: true, last: 3 },
      { kind: 'insert-lines', after: 0, text: 'zero\nnought' },
      { kind: 'lines', first: 4, last: 4, text: '' },
      { kind: 'insert', at: { line: 5, column: 5 }, text: '!\nsix' },
    ];
    assert.deepEqual(edited(lines, edits), ['zero', 'nought', 'onE', 'two', 'thrEE', 'five!', 'six']);
    assert.deepEqual(outcomes(inOrder(resolve(edits, 'char', textOf(lines))), edits.length), [
      { first: 3, last: 5, count: 3 },
      { first: 1, last: 2, count: 1 },
      { first: 6, last: 5, count: 1 },
      { first: 6, last: 7, count: 1 },
    ]);
  });

  it('count a CRLF as LF unless the lines there have a CR', () => {
    assert.deepEqual(edited(['a', 'b'], [{ kind: 'replace', old: 'a\r\nb', new: 'c\r\nd' }]), ['c', 'd']);
    assert.deepEqual(edited(['a\r', 'b'], [{ kind: 'replace', old: 'a\r\nb', new: 'c\r\nd' }]), ['c\r', 'd']);
    assert.deepEqual(edited(['a', 'b'], [{ kind: 'insert-lines', after: 1, text: 'x\r\ny\r\n' }]), [
      'a',
      'x',
      'y',
      'b',
    ]);
    assert.deepEqual(edited(['a\r'], [{ kind: 'insert', at: { line: 2, column: 1 }, text: 'x\r\n' }]), ['a\r', 'x\r']);
    assert.deepEqual(edited(['a\r', 'b\r'], [{ kind: 'lines', first: 2, last: 2, text: 'x\r\n' }]), ['a\r', 'x\r']);
  });

  it('take texts literally', () => {
    assert.deepEqual(edited(['a.c', 'abc'], [{ kind: 'replace', old: 'a.c', new: '$& \\n \\1' }]), [
      '$& \\n \\1',
      'abc',
    ]);
  });

  it('read only the lines they concern', async () => {
    const read: [number, number][] = [];
    const text = {
      ...textOf(Array.from({ length: 1000 }, (_, index) => String(index + 1))),
      load: (first: number, last: number) => Promise.resolve(void read.push([first, last])),
    };
    await loadFor(
      [
        { kind: 'lines', first: 500, last: 501, text: '' },
        { kind: 'insert', at: { line: 7, column: 1 }, text: 'x' },
        { kind: 'replace', old: 'x', new: 'y', first: 3, last: 4 },
      ],
      text,
    );
    assert.deepEqual(read, [
      [499, 502],
      [6, 7],
      [3, 4],
    ]);
  });
});

describe('positions', () => {
  it('are the same place in every unit and form', () => {
    fc.assert(
      fc.property(document, fc.nat(), (lines, pick) => {
        const text = joined(lines);
        const places = boundaries(text);
        const at = places[pick % places.length] ?? 0;
        const points = UNITS.flatMap((unit) =>
          [true, false].map((asOffset) =>
            new Positions(textOf(lines), unit).point(position(text, at, unit, asOffset), 'at'),
          ),
        );
        for (const point of points) assert.deepEqual(point, points[0]);
      }),
    );
  });
});
