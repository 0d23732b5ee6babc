import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listenerUrl, readBind } from '../../shared/address.js';

describe('an address to bind', () => {
  for (const [text, host, port] of [
    ['', undefined, undefined],
    ['127.0.0.2', '127.0.0.2', undefined],
    ['localhost:81', 'localhost', 81],
    [':0', undefined, 0],
    ['[::1]', '::1', undefined],
    ['::1', '::1', undefined],
    ['[::1]:65535', '::1', 65535],
  ] as const) {
    it(`is read from ${JSON.stringify(text)}`, () => assert.deepEqual(readBind(text), { host, port }));
  }

  for (const text of ['a:b', 'a', '127.0.0.1:65536', '[x]:1', 'a:1:2', '127.0.0.1:']) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.throws(() => readBind(text), { kind: 'invalid', message: /expected an address, a port or both/ });
    });
  }

  it('stands in a URL with brackets where it has colons, and as loopback where it means all', () => {
    assert.equal(listenerUrl('::1', 80, 't'), 'http://[::1]:80/t/');
    assert.equal(listenerUrl('::', 80, 't'), 'http://[::1]:80/t/');
    assert.equal(listenerUrl('0.0.0.0', 80, 't'), 'http://127.0.0.1:80/t/');
  });
});
