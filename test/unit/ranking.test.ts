import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Child } from '../../hub/child.js';
import { EVERYTHING, Exposure } from '../../hub/exposure.js';
import { itemsIn } from '../../hub/item.js';
import { Ranking } from '../../hub/ranking.js';

const tools = [
  ['files.read_text_file', 'Read a file as text', { path: {}, head: {} }],
  ['files.writeFile', 'Create or overwrite a file', { path: {}, content: {} }],
  ['git.commit', 'Record changes to the repository', { message: {} }],
  ['git.log', 'Show the history: who has changed what of which file and when', {}],
  ['mail.send', 'Send a message to somebody', { recipient: {} }],
].map(([name, description, properties]) => ({ name, description, inputSchema: { type: 'object', properties } }));

function ranking(entries: readonly object[]): Ranking {
  const bytes = Buffer.from(JSON.stringify(entries));
  const child = { exposure: new Exposure('c', EVERYTHING) } as unknown as Child;
  const items = itemsIn(bytes, { start: 0, end: bytes.length }, 'name', 'a test');
  return new Ranking(items.map((item) => ({ child, item, name: item.key })));
}

const found = (words: string): unknown[] =>
  ranking(tools)
    .find(words)
    .map(({ name }) => name);

describe('tools by words', () => {
  it('come with the one first whose name has them', () => {
    assert.equal(found('read file')[0], 'files.read_text_file');
    assert.equal(found('please write a new file for me')[0], 'files.writeFile');
    assert.equal(found('commit')[0], 'git.commit');
  });

  it('are found by parts of names, however those are written, by their descriptions and their arguments', () => {
    assert.deepEqual(found('text'), ['files.read_text_file']);
    assert.deepEqual(found('write'), ['files.writeFile']);
    assert.deepEqual(found('history'), ['git.log']);
    assert.deepEqual(found('recipient'), ['mail.send']);
    assert.equal(found('git').length, 2);
  });

  it('are found by beginnings and by slips of the pen', () => {
    assert.deepEqual(found('overwr'), ['files.writeFile']);
    assert.deepEqual(found('repositry'), ['git.commit']);
  });

  for (const words of ['', '  ', '?!', 'zebra', '__proto__']) {
    it(`are none for ${JSON.stringify(words)}`, () => assert.deepEqual(found(words), []));
  }

  it('may have any names and no schema', () => {
    const odd = [{ name: '__proto__' }, { name: 'constructor', inputSchema: 7 }, { name: '\u65e5\u672c\u8a9e' }];
    assert.deepEqual(ranking(odd).find('constructor').length, 1);
    assert.deepEqual(ranking(odd).find('\u65e5\u672c').length, 1);
  });
});
