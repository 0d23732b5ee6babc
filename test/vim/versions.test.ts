import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { MAJOR, MINOR } from '../../child-vim/protocol.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change } from './broker.js';
import { VERBS } from './fake-vim.js';
import { stage } from './fixture.js';

const PLUGIN = resolve(import.meta.dirname, '../../../vim');

describe('a plugin of another version', () => {
  const at = stage();

  /** A Vim whose plugin is a copy with changes: file below autoload/mcp, what it says, what it says instead. */
  async function vimWith(...changes: readonly (readonly [file: string, from: string, to: string])[]): Promise<Vim> {
    const copy = join(at.home.path, 'plugin');
    await cp(PLUGIN, copy, { recursive: true });
    for (const [file, from, to] of changes) {
      const path = join(copy, 'autoload/mcp', file);
      const text = await readFile(path, 'utf8');
      assert.ok(text.includes(from), `${file} has no ${from}`);
      await writeFile(path, text.replace(from, to));
    }
    return at.own(await Vim.start(at.home, { vimrc: `set rtp^=${copy}\n` }));
  }

  const version = (major: number, minor: number): (readonly [string, string, string])[] => [
    ['link.vim', `const MAJOR = ${MAJOR}\n`, `const MAJOR = ${major}\n`],
    ['link.vim', `const MINOR = ${MINOR}\n`, `const MINOR = ${minor}\n`],
  ];

  for (const [what, major, minor, advice] of [
    [
      'an older major version',
      MAJOR - 1,
      7,
      `update the Vim plugin: it speaks ${MAJOR - 1}.7, mcp-vim ${MAJOR}.${MINOR}`,
    ],
    [
      'a newer major version',
      MAJOR + 1,
      0,
      `update mcp-vim: it speaks ${MAJOR}.${MINOR}, the Vim plugin ${MAJOR + 1}.0`,
    ],
    [
      'a newer minor version',
      MAJOR,
      MINOR + 1,
      `update mcp-vim: it speaks ${MAJOR}.${MINOR}, the Vim plugin ${MAJOR}.${MINOR + 1}`,
    ],
  ] as const) {
    it(`is told in Vim what to update: ${what}`, async () => {
      const broker = at.own(await Broker.start(at.home));
      const vim = await vimWith(...version(major, minor));
      await vim.ex('Mcp ed');
      const seen = `mcp: the broker refused: ${advice.slice(0, 30)}`;
      await eventually('it is shown', () => vim.screen().some((row) => row.startsWith(seen)));
      assert.equal((await vim.ex('McpStatus')).trim(), `not connected\nmcp: the broker refused: ${advice}`);
      assert.deepEqual(await broker.targets(), []);
      assert.doesNotMatch(await vim.ex('messages'), /trying again/);
      assert.ok(broker.log.includes(advice));
    });
  }

  it('that is older is served what it has, and refused what it lacks', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = await vimWith(...version(MAJOR, MINOR - 1), [
      'dispatch.vim',
      "  undo: (p) => undo.Step(p, 'undo'),\n",
      '',
    ]);
    assert.equal(await broker.join(vim, 'Mcp ed'), 'ed');
    const buffer = await vim.buffer(['one']);
    const tick = await vim.tick(buffer);
    const edited = await broker.call('apply-diff', {
      buffer,
      expected_changedtick: tick,
      diff: change(1, 'one', 'two'),
    });
    assert.equal(edited.isError, false, edited.text);
    const undone = await broker.call('undo', { buffer, expected_changedtick: edited.value['changedtick'] });
    assert.match(
      undone.text,
      new RegExp(
        `the plugin in ed \\(version ${MAJOR}.${MINOR - 1}\\) is too old for this: it has no undo\\. .*update`,
      ),
    );
    assert.match(undone.text, /"error":"unsupported"/);
    assert.deepEqual(await vim.lines(buffer), ['two']);
    const { editors } = (await broker.call('capabilities')).value as { editors: unknown[] };
    assert.deepEqual(editors, [
      {
        target: 'ed',
        vim: await vim.eval('string(v:versionlong)'),
        plugin: `${MAJOR}.${MINOR - 1}`,
        missing: ['undo'],
      },
    ]);
  });

  it('may have operations that the broker does not know', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = await vimWith(['dispatch.vim', 'VERBS->extend({\n', 'VERBS->extend({\n  unheard: (_) => 1,\n']);
    assert.equal(await broker.join(vim, 'Mcp ed'), 'ed');
    assert.equal((await broker.call('state')).isError, false);
  });

  it('is none when both are of this release', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const { editors } = (await broker.call('capabilities')).value as { editors: { missing: string[] }[] };
    assert.deepEqual(editors[0]?.missing, []);
    assert.deepEqual(await vim.eval('mcp#dispatch#Verbs()'), VERBS);
  });
});
