import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAJOR, MINOR } from '../../child-vim/protocol.js';
import { VERSION } from '../../child-vim/version.js';
import { Broker } from './broker.js';
import { pair, stage } from './fixture.js';

interface Tools {
  action: string;
  permission: string;
  names: string[];
}

describe('capabilities', () => {
  const at = pair({ args: ['--auto-allow', 'write', '--auto-deny', 'open', '--patience', '7'] });

  it('tell the permission of every tool', async () => {
    const { value } = await at.broker.call('capabilities');
    const tools = value['tools'] as Tools[];
    const named = tools.flatMap(({ names }) => names).sort();
    const listed = (await at.broker.client.listTools()).tools.map(({ name }) => name).sort();
    assert.deepEqual(named, listed);
    const permissionOf = (name: string): string | undefined =>
      tools.find(({ names }) => names.includes(name))?.permission;
    assert.deepEqual(['read-lines', 'apply-diff', 'open', 'save'].map(permissionOf), ['allow', 'allow', 'deny', 'ask']);
    assert.match((await at.broker.call('open', { path: '/x' })).text, /open is denied/);
  });

  it('tell the versions, and the editors that are there', async () => {
    const { value } = await at.broker.call('capabilities');
    const { mcp, ...server } = value['server'] as { mcp: string[] };
    assert.deepEqual(server, { name: 'mcp-vim', version: VERSION, plugin: `${MAJOR}.${MINOR}` });
    assert.ok(mcp.includes(at.broker.client.getNegotiatedProtocolVersion() ?? ''));
    const [editor] = value['editors'] as unknown[];
    assert.deepEqual(editor, {
      target: 'ed',
      vim: await at.vim.eval('string(v:versionlong)'),
      plugin: `${MAJOR}.${MINOR}`,
      missing: [],
    });
  });

  it('tell limits that hold', async () => {
    const { value } = await at.broker.call('capabilities');
    const limits = value['limits'] as { read_bytes: number; timeout_seconds: number };
    assert.equal(limits.timeout_seconds, 7);
    assert.equal((value['units'] as string[])[0], 'char');
    const buffer = await at.vim.buffer(Array.from({ length: 9000 }, () => 'x'.repeat(99)));
    const { text, next } = (await at.broker.call('read-lines', { buffer })).value as { text: string; next: number };
    // It is read in pages of whole lines, so that a little may be missing.
    assert.ok(text.length <= limits.read_bytes && text.length > limits.read_bytes * 0.9, `${text.length} bytes`);
    assert.equal(next, text.length / 100 + 1);
  });
});

describe('capabilities for clients of the revision without sessions', () => {
  const at = stage();

  it('name that revision, and no editor where there is none', async () => {
    const broker = at.own(await Broker.start(at.home, [], { modern: true }));
    const { value } = await broker.call('capabilities');
    const { mcp } = value['server'] as { mcp: string[] };
    assert.deepEqual([mcp[0], value['editors']], ['2026-07-28', []]);
  });
});
