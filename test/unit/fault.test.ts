import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asFault, Fault, systemFault } from '../../shared/fault.js';

describe('Fault', () => {
  it('reads as one line with what to do next', () => {
    assert.equal(new Fault('gone', 'it ended').text, 'it ended');
    assert.equal(new Fault('gone', 'it ended', { next: 'Start it.' }).text, 'it ended. Start it.');
  });

  it('is made of anything that was thrown', () => {
    const fault = new Fault('busy', 'not now');
    assert.equal(asFault(fault), fault);
    assert.deepEqual([asFault(new TypeError('x')).kind, asFault(new TypeError('x')).message], ['bug', 'x']);
    assert.deepEqual([asFault('text').kind, asFault('text').message], ['bug', 'text']);
  });

  it('is a cancellation when the work was aborted', () => {
    assert.equal(asFault(AbortSignal.abort().reason).kind, 'cancelled');
  });

  it('tells of a failed system call with its cause', () => {
    const cause = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const fault = systemFault('cannot read it', cause, 'Look.');
    assert.equal(fault.text, 'cannot read it: EACCES: permission denied. Look.');
    assert.equal(fault.cause, cause);
  });
});
