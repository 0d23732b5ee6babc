import assert from 'node:assert/strict';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configDirectory, privateDirectory, runtimeDirectory, stateDirectory } from '../../shared/paths.js';
import { folder, setVariable } from '../kit/home.js';

describe('the folders', () => {
  it('lie where the environment says', (t) => {
    setVariable(t, 'XDG_CONFIG_HOME', '/c');
    setVariable(t, 'XDG_STATE_HOME', '/s');
    setVariable(t, 'XDG_RUNTIME_DIR', '/r');
    const found = [configDirectory(), stateDirectory(), runtimeDirectory()];
    assert.deepEqual(found, ['/c/mcp-multibroker', '/s/mcp-multibroker', '/r/mcp-multibroker']);
  });

  it('lie in the home folder when it says nothing, or nothing absolute', (t) => {
    setVariable(t, 'XDG_CONFIG_HOME', undefined);
    setVariable(t, 'XDG_STATE_HOME', 'here');
    setVariable(t, 'XDG_RUNTIME_DIR', 'here');
    assert.equal(configDirectory(), join(homedir(), '.config/mcp-multibroker'));
    assert.equal(stateDirectory(), join(homedir(), '.local/state/mcp-multibroker'));
    assert.match(runtimeDirectory(), /^\/.*mcp-multibroker-\d+$/);
  });
});

describe('a private folder', () => {
  it('is made closed to everybody else, with those above it', async (t) => {
    const path = join(await folder(t), 'a/b');
    assert.equal(await privateDirectory(path), path);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    assert.equal(await privateDirectory(path), path);
  });

  it('is refused when others can look into it', async (t) => {
    const path = join(await folder(t), 'a');
    await mkdir(path);
    await chmod(path, 0o750);
    await assert.rejects(privateDirectory(path), { kind: 'denied', message: /a must be a folder of your own/ });
  });

  it('is refused when it is a link or a file', async (t) => {
    const base = await folder(t);
    await mkdir(join(base, 'real'), { mode: 0o700 });
    await symlink(join(base, 'real'), join(base, 'link'));
    await writeFile(join(base, 'file'), '');
    await assert.rejects(privateDirectory(join(base, 'link')), { kind: 'denied' });
    await assert.rejects(privateDirectory(join(base, 'file')), { name: 'Fault' });
  });
});
