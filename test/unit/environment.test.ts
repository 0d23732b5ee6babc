import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { childEnvironment } from '../../hub/environment.js';

describe("a child's environment", () => {
  it('holds the listed variables only', () => {
    const own = { PATH: '/bin', LC_ALL: 'C', XDG_RUNTIME_DIR: '/run', API_KEY: 'secret', LD_PRELOAD: 'x', path: 'y' };
    assert.deepEqual(childEnvironment(new Map(), own), {
      PATH: '/bin',
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: '/run',
      MCP_MULTIBROKER_PROTOCOL: 'stdio',
    });
  });

  it('takes what is added, also in place of what is listed', () => {
    const added = new Map([
      ['API_KEY', 'mine'],
      ['PATH', '/opt'],
    ]);
    const { API_KEY, PATH } = childEnvironment(added, { PATH: '/bin', API_KEY: 'other' });
    assert.deepEqual([API_KEY, PATH], ['mine', '/opt']);
  });
});
