import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Journal, placeOf } from '../../hub/journal.js';

/** The texts of the messages behind a place, and the ids of their events. */
function rest(journal: Journal, behind: number): [string, string][] | undefined {
  return journal.after(behind)?.map(([message, id]) => [message.toString(), id]);
}

describe('a journal of a stream', () => {
  it('gives what followed a place, from its beginning to its end', () => {
    const journal = new Journal(7);
    assert.equal(journal.place, '7-0');
    assert.deepEqual(rest(journal, 0), []);
    assert.equal(journal.add(Buffer.from('a')), '7-1');
    assert.equal(journal.add(Buffer.from('b')), '7-2');
    assert.deepEqual(rest(journal, 0), [
      ['a', '7-1'],
      ['b', '7-2'],
    ]);
    assert.deepEqual(rest(journal, 1), [['b', '7-2']]);
    assert.deepEqual(rest(journal, 2), []);
    assert.equal(rest(journal, 3), undefined);
  });

  it('forgets the oldest where there are many, and then does not know what followed them', () => {
    const journal = new Journal(1);
    for (let number = 1; number <= 300; number += 1) journal.add(Buffer.from(String(number)));
    assert.equal(rest(journal, 0), undefined);
    assert.deepEqual(rest(journal, 298), [
      ['299', '1-299'],
      ['300', '1-300'],
    ]);
  });

  it('keeps the last message however large it is, and no other beside it', () => {
    const journal = new Journal(1);
    journal.add(Buffer.from('small'));
    journal.add(Buffer.alloc(2 * 1024 * 1024));
    assert.equal(rest(journal, 0), undefined);
    assert.equal(journal.after(1)?.[0]?.[0].length, 2 * 1024 * 1024);
  });

  it('knows the place by the id of an event, and nothing by another text', () => {
    assert.deepEqual(placeOf('3-14'), { stream: 3, behind: 14 });
    for (const text of ['', '3', '3-', '-1', '3-1-1', 'a-1', '3-1 ', `${'9'.repeat(20)}-1`]) {
      assert.equal(placeOf(text), undefined);
    }
  });
});
