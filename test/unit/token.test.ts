import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedToken, derivedPort, derivedToken } from '../../shared/token.js';

const SECRET = Buffer.alloc(32, 7);
const OTHER = Buffer.alloc(32, 8);

describe('a derived token', () => {
  it('is the same for the same secret, program and name only', () => {
    const token = derivedToken(SECRET, 'hub', 'default');
    assert.equal(derivedToken(SECRET, 'hub', 'default'), token);
    const others = [
      derivedToken(OTHER, 'hub', 'default'),
      derivedToken(SECRET, 'vim', 'default'),
      derivedToken(SECRET, 'hub', 'x'),
    ];
    assert.equal(new Set([token, ...others]).size, 4);
  });

  it('can stand in a URL as it is', () => {
    for (let name = 0; name < 50; name += 1) assert.match(derivedToken(SECRET, 'hub', String(name)), /^[\w-]{32}$/);
  });
});

describe('a derived port', () => {
  it('lies below those that systems hand out, spread over its range', () => {
    const ports = Array.from({ length: 200 }, (_, name) => derivedPort(SECRET, 'hub', String(name)));
    for (const port of ports) assert.ok(port >= 16384 && port <= 32767, String(port));
    assert.ok(new Set(ports).size > 190);
    assert.equal(derivedPort(SECRET, 'hub', '0'), ports[0]);
  });
});

describe('a given token', () => {
  it('is accepted if it is one of the accepted ones, whole', () => {
    const accepted = ['first-token', 'second-token'];
    for (const token of accepted) assert.ok(acceptedToken(token, accepted));
    for (const token of ['', 'first-toke', 'first-token ', 'third', 'first-tokenx'])
      assert.ok(!acceptedToken(token, accepted));
    assert.ok(!acceptedToken('', []));
    const long = 'a'.repeat(255);
    assert.ok(acceptedToken(`${long}b`, [`${long}b`]));
    for (const token of [`${long}\u0162`, `${long}bb`, `${long}b`.repeat(4), long])
      assert.ok(!acceptedToken(token, [`${long}b`]));
  });
});
