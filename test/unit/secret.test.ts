import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { masterSecret } from '../../shared/secret.js';
import { folder, setVariable } from '../kit/home.js';

/** The folder of the secret, in a configuration of its own. */
async function secretFolder(t: TestContext): Promise<string> {
  const base = await folder(t);
  setVariable(t, 'XDG_CONFIG_HOME', base);
  return join(base, 'mcp-multibroker');
}

describe('the master secret', () => {
  it('is made once and kept for its owner only', async (t) => {
    const path = await secretFolder(t);
    const secrets = await masterSecret();
    assert.equal(secrets.current.length, 32);
    assert.deepEqual(await masterSecret(), secrets);
    assert.deepEqual(await readdir(path), ['secret']);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    assert.equal((await stat(join(path, 'secret'))).mode & 0o777, 0o600);
  });

  it('is another one for each person', async (t) => {
    await secretFolder(t);
    const one = await masterSecret();
    await secretFolder(t);
    assert.notDeepEqual(await masterSecret(), one);
  });

  it('is refused when others can read it, and says what to do', async (t) => {
    const path = await secretFolder(t);
    await masterSecret();
    await chmod(join(path, 'secret'), 0o640);
    await assert.rejects(masterSecret(), { kind: 'denied', message: /can be read by others/, next: /chmod 600/ });
  });

  it('is refused when it is a link', async (t) => {
    const path = await secretFolder(t);
    await masterSecret();
    await rename(join(path, 'secret'), join(path, 'elsewhere'));
    await symlink(join(path, 'elsewhere'), join(path, 'secret'));
    await assert.rejects(masterSecret(), { message: /cannot read .*secret/ });
  });

  it('is refused when its folder is open to others', async (t) => {
    const path = await secretFolder(t);
    await mkdir(path);
    await chmod(path, 0o755);
    await assert.rejects(masterSecret(), { kind: 'denied' });
    assert.deepEqual(await readdir(path), []);
  });

  for (const [what, text] of [
    ['empty', ''],
    ['too short', 'abcd\n'],
    ['no secret', 'this is a note of thirty-two characters and more\n'],
  ] as const) {
    it(`is refused when it is ${what}, and is left as it is`, async (t) => {
      const path = await secretFolder(t);
      await masterSecret();
      await writeFile(join(path, 'secret'), text);
      await assert.rejects(masterSecret(), { kind: 'invalid', message: /is damaged/ });
      assert.equal(await readFile(join(path, 'secret'), 'utf8'), text);
    });
  }

  it('is one for all processes that race to make it', async (t) => {
    const path = await secretFolder(t);
    const script = join(import.meta.dirname, '../children/secret.js');
    const run = promisify(execFile);
    const seen = await Promise.all(Array.from({ length: 20 }, () => run(process.execPath, [script])));
    assert.equal(new Set(seen.map(({ stdout }) => stdout)).size, 1);
    assert.equal(seen[0]?.stdout, (await masterSecret()).current.toString('hex'));
    assert.deepEqual(await readdir(path), ['secret']);
  });
});
