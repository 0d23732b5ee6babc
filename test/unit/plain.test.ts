import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import wabt from 'wabt';
import { Frame } from '../../shared/jsonrpc.js';
import { Lines } from '../../shared/lines.js';
import { CODE } from '../../shared/scanner.js';
import { Random } from '../kit/random.js';

const HEAD = '{"jsonrpc":"2.0","id":1,"result":"';
/** What stands in a string, often and seldom; the seldom ones may be no JSON. */
const OFTEN = ['a'.repeat(63), 'ä', '\u{1f600}', '\\n', '\\"', '\\\\', '\\\\\\\\\\\\', '\\u00e4', 'plain text '];
const SELDOM = ['"', '\\x', '\\', '\n', '\u001f', '\\u12', '","more":"'];

/** A message of a long string, as it comes in chunks. */
function long(random: Random): Buffer[] {
  let text = HEAD;
  while (text.length < 300_000) text += random.pick(OFTEN).repeat(1 + random.below(20));
  if (random.chance(0.5)) {
    const at = HEAD.length + random.below(text.length - HEAD.length);
    text = text.slice(0, at) + random.pick(SELDOM) + text.slice(at);
  }
  const bytes = Buffer.from(`${text}"}`);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunks.at(-1)?.length ?? 0) {
    chunks.push(bytes.subarray(at, at + 1 + random.below(random.chance(0.2) ? 3 : 65_536)));
  }
  return chunks;
}

function isTaken(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

describe('a long string in a message', () => {
  it('is taken if it is JSON, and else refused, however it comes', () => {
    let refused = 0;
    for (let seed = 1; seed <= 300; seed += 1) {
      const chunks = long(new Random(seed));
      const lines: Buffer[] = [];
      const cutter = new Lines();
      // A message is looked at as it comes out.
      const taken: boolean[] = [];
      for (const chunk of [...chunks, Buffer.from('\n')]) {
        cutter.push(chunk, (line) => {
          lines.push(line);
          taken.push(isTaken(() => Frame.parse(line)));
        });
      }
      const expected = lines.map((line) => isTaken(() => JSON.parse(line.toString())));
      assert.deepEqual(taken, expected, `seed ${seed}`);
      if (expected.includes(false)) refused += 1;
    }
    assert.ok(refused > 30, `only ${refused} were no JSON`);
  });

  it('is looked at by the instructions whose text lies beside them', async () => {
    const source = new URL('../../../shared/scanner.wat', import.meta.url);
    const module = (await wabt()).parseWat('scanner.wat', await readFile(source), { simd: true });
    assert.equal(CODE, Buffer.from(module.toBinary({}).buffer).toString('base64'));
  });
});
