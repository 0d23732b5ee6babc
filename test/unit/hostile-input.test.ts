/** What others can send or write: whatever it is, it is taken or refused with one of our errors, and soon. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { Editors } from '../../child-vim/editors.js';
import { vimProtocols } from '../../child-vim/handshake.js';
import { readBind } from '../../shared/address.js';
import { admit } from '../../shared/admission.js';
import { hubPlace } from '../../shared/connect.js';
import { Fault } from '../../shared/fault.js';
import { memoryLinks } from '../../shared/link.js';
import { formatRules, parseRules } from '../../shared/rule-text.js';
import { type Words, wordsFor } from '../../shared/rule-words.js';
import { Random } from '../kit/random.js';

const SEED = 1;
const TOKEN = 'the-token-of-this-test';

/** Up to so many pieces in a row. */
function mixed(dice: Random, pieces: readonly string[], most: number): string {
  return Array.from({ length: dice.below(most + 1) }, () => dice.pick(pieces)).join('');
}

/** A text in which up to three places have another piece. */
function damaged(dice: Random, text: string, pieces: readonly string[]): string {
  let found = text;
  for (let count = dice.below(4); count > 0; count -= 1) {
    const at = dice.below(found.length + 1);
    found = found.slice(0, at) + dice.pick(pieces) + found.slice(at + dice.below(4));
  }
  return found;
}

/** Runs it; anything but a result or a Fault of the person's input is an error. */
function refusedOr<T>(work: () => T, kinds: readonly string[] = ['invalid']): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault && kinds.includes(error.kind)) return undefined;
    throw error;
  }
}

describe('100,000 inputs', () => {
  it('as rule files are read as they will be written, or refused by their line', () => {
    const words = wordsFor('vim-x') as Words;
    const pieces = [
      ...[
        '[rule]',
        '[rule',
        'decision=',
        'allow',
        'deny',
        'ask',
        'action=',
        'read',
        '*',
        'subject=',
        'subject-prefix=',
      ],
      ...[
        'target:',
        'targets',
        'ex:',
        '"a"',
        ':',
        '"',
        '\\',
        '\\u0000',
        'path=',
        '/',
        '~/',
        '**',
        '..',
        'sandbox-grants=',
      ],
      ...[
        '#',
        ';',
        '=',
        ' ',
        '\t',
        '\r',
        '\n',
        '\n',
        '\n',
        '\0',
        '\u2028',
        '\u202e',
        '\ud800',
        '\uFEFF',
        '𝒳',
        '__proto__',
      ],
    ];
    const good = '[rule]\ndecision=allow\naction=read\nsubject=target:a\nsandbox-grants=\n';
    const dice = new Random(SEED);
    let taken = 0;
    for (let run = 0; run < 40_000; run += 1) {
      const text = dice.chance(0.5) ? mixed(dice, pieces, 30) : damaged(dice, good + good, pieces);
      const found = refusedOr(() => parseRules(text, words, 'F'));
      if (found === undefined) continue;
      taken += 1;
      const again = parseRules(formatRules(found), words, 'F');
      assert.deepEqual(
        again.sections.map(({ rule }) => rule),
        found.sections.map(({ rule }) => rule),
      );
    }
    assert.ok(taken > 1000, `${taken} were taken`);
  });

  it('as URLs and heads of requests are taken apart, or refused', () => {
    const pieces = [
      ...[
        'http://',
        'https://',
        'ws://',
        '127.0.0.1',
        'localhost',
        '[::1]',
        '[',
        ']',
        ':',
        '/',
        '//',
        '@',
        '?',
        '#',
        '%00',
        '..',
      ],
      ...[
        '0.0.0.0',
        '2130706433',
        '0x7f.1',
        'evil.example',
        '.',
        '-',
        '\0',
        '\r\n',
        ' ',
        'é',
        '\u202e',
        TOKEN,
        'Bearer ',
        '65536',
        '1',
      ],
    ];
    const dice = new Random(SEED);
    let admitted = 0;
    for (let run = 0; run < 30_000; run += 1) {
      const [url, host, origin] = [mixed(dice, pieces, 8), mixed(dice, pieces, 3), mixed(dice, pieces, 4)];
      refusedOr(() => hubPlace(url));
      refusedOr(() => readBind(host));
      const isHopeful = dice.chance(0.5);
      const headers = { host: isHopeful ? '127.0.0.1' : host, ...(dice.chance(0.5) ? { origin } : {}) };
      const request = { url: isHopeful ? `/${TOKEN}/${url}` : url, headers, rawHeaders: ['Host', headers.host] };
      const admission = admit(request as unknown as IncomingMessage, [TOKEN], '127.0.0.1');
      if (!admission.admitted) continue;
      admitted += 1;
      assert.ok(request.url.includes(TOKEN), 'nobody comes in without the token');
      assert.match(new URL(`http://${headers.host}`).hostname, /^(localhost|127\..*|\[::1\])$/);
    }
    assert.ok(admitted > 1000, `${admitted} were admitted`);
  });

  it('as first lines of an editor connect none without the token', async () => {
    const editors = new Editors(1000);
    const handlers = vimProtocols(editors, () => [TOKEN]);
    const dice = new Random(SEED);
    const values: readonly unknown[] = [
      ...[
        '',
        'mcp-vim',
        'mcp-vim-prove',
        'x',
        '\0',
        TOKEN.slice(1),
        `${TOKEN} `,
        '127.0.0.1:1',
        '@active',
        '../x',
        'a'.repeat(70),
      ],
      ...[0, 1, -1, 1e308, 2 ** 53, null, true, [], {}, [[[]]], { __proto__: null }, { length: 6 }],
    ];
    for (let run = 0; run < 30_000; run += 1) {
      const words = Array.from({ length: dice.below(8) }, () => dice.pick(values));
      const name = dice.chance(0.5) ? 'mcp-vim' : 'mcp-vim-prove';
      const [near, far] = memoryLinks();
      far.start({ message: () => undefined, end: () => undefined });
      refusedOr(
        () => handlers.get(name)?.([name, ...words], near, { host: '127.0.0.1', port: 1 }),
        ['protocol', 'denied'],
      );
      near.close();
    }
    await new Promise(setImmediate);
    assert.deepEqual(editors.all, []);
  });
});
