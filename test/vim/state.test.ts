import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

type Facts = Record<string, unknown>;

describe('state', () => {
  const at = pair();

  async function state(args: Facts = {}): Promise<Result['value']> {
    const { isError, text, value } = await at.broker.call('state', args);
    assert.equal(isError, false, text);
    return value;
  }

  it('tells of a buffer what is not ordinary', async () => {
    await writeFile(join(at.home.path, 'plain.txt'), 'one\n');
    await at.vim.ex('edit plain.txt');
    const buffer = await at.vim.eval<number>('bufnr()');
    const [plain] = (await state({ buffer }))['buffers'] as Facts[];
    assert.deepEqual(
      { ...plain, last_used: 0 },
      {
        buffer,
        filename: join(at.home.path, 'plain.txt'),
        changedtick: await at.vim.tick(buffer),
        line_count: 1,
        current: true,
        visible: true,
        last_used: 0,
      },
    );
    await at.vim.ex('setlocal fileformat=dos fileencoding=latin1 bomb noendofline filetype=c readonly nomodifiable');
    const [odd] = (await state({ buffer }))['buffers'] as Facts[];
    const names = ['readonly', 'modifiable', 'fileformat', 'fileencoding', 'bomb', 'endofline', 'filetype', 'modified'];
    assert.deepEqual(
      names.map((name) => odd?.[name]),
      [true, false, 'dos', 'latin1', true, false, 'c', true],
    );
    const { text } = await at.broker.call('state', { buffer });
    assert.match(text, new RegExp(`\\n${buffer} \\d+ 1 "[^"]+plain.txt" modified current visible .*fileformat=dos`));
  });

  it('tells of windows and tab pages', async () => {
    const buffer = await at.vim.buffer(Array.from({ length: 100 }, (_, index) => `line ${index + 1}`));
    await at.vim.ex('tabnew | tabfirst | 10split | normal! 50Gzt');
    at.vim.type('\x0c');
    await at.vim.until("line('w0')", 50);
    const value = await state();
    assert.deepEqual([value['tab'], value['tabs']], [1, 2]);
    assert.deepEqual(value['windows'], [
      { buffer, first: 50, last: 59, line: 50, current: true },
      { buffer, first: 1, last: 10, line: 1 },
    ]);
    assert.deepEqual(value['cursor'], { buffer, line: 50, column: 1 });
    await at.vim.ex('tabonly | only');
  });

  it('finds the root of the project, from the file and else from the working directory', async () => {
    const root = join(at.home.path, 'project');
    await mkdir(join(root, 'deep/er'), { recursive: true });
    await mkdir(join(at.home.path, 'other/.git'), { recursive: true });
    await writeFile(join(root, 'package.json'), '{}');
    await at.vim.buffer(['']);
    assert.equal((await state())['project_root'], '');
    await at.vim.ex('cd other');
    assert.equal((await state())['project_root'], join(at.home.path, 'other'));
    await at.vim.ex(`edit ${root}/deep/er/new.txt`);
    assert.equal((await state())['project_root'], root);
    await at.vim.ex('enew | cd ..');
  });

  it('lists recent files that still exist, when asked', async () => {
    await writeFile(join(at.home.path, 'old.txt'), '');
    await writeFile(join(at.home.path, 'older.txt'), '');
    await at.vim.ex("let v:oldfiles = ['~/gone.txt', '~/old.txt', $HOME .. '/older.txt']");
    assert.equal((await state())['recent'], undefined);
    const [old, older] = ['old.txt', 'older.txt'].map((name) => join(at.home.path, name));
    assert.deepEqual((await state({ recent: 1 }))['recent'], [old]);
    assert.deepEqual((await state({ recent: 50 }))['recent'], [old, older]);
    assert.equal((await at.broker.call('state', { recent: 51 })).isError, true);
  });

  it('stays small with many buffers', async () => {
    await at.vim.ex("for n in range(1000) | call setbufvar(bufadd('many' .. n), '&buflisted', 1) | endfor");
    const { text, value } = await at.broker.call('state', { limit: 200 });
    assert.equal((value['buffers'] as unknown[]).length, 200);
    assert.ok((value['total'] as number) > 1000);
    assert.ok(text.length < 200 * 100, `${text.length} characters`);
  });
});

describe('targets', () => {
  const at = stage();

  async function targets(broker: Broker): Promise<Facts[]> {
    return (await broker.call('targets')).value['targets'] as Facts[];
  }

  it('tells the mode, and what the person is in the middle of', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    for (const [keys, mode, busy] of [
      ['', 'n', undefined],
      ['i', 'i', undefined],
      ['\x16', '^V', /Visual mode/],
      ['d', 'no', /middle of an operator/],
      [':', 'c', /the command line/],
    ] as const) {
      vim.type(keys);
      await vim.until('strtrans(mode(1))', mode);
      const [facts] = await targets(broker);
      assert.equal(facts?.['mode'], mode);
      if (busy === undefined) assert.equal(facts?.['busy'], undefined);
      else assert.match(String(facts?.['busy']), busy);
      if (keys !== '') vim.type('\x1b');
      await vim.until('mode(1)', 'n');
    }
  });

  it('tells of an editor that does not answer, and of the others all the same', async () => {
    const broker = at.own(await Broker.start(at.home));
    const [one, two] = [at.own(await Vim.start(at.home)), at.own(await Vim.start(at.home))];
    await broker.join(one, 'Mcp one');
    await broker.join(two, 'Mcp two');
    process.kill(one.pid, 'SIGSTOP');
    const [silent, other] = await targets(broker);
    assert.deepEqual([silent?.['target'], silent?.['mode'], other?.['mode']], ['one', undefined, 'n']);
    assert.match(String(silent?.['busy']), /does not answer.*Ctrl-Z/);
    process.kill(one.pid, 'SIGCONT');
    await eventually('it answers again', async () => (await targets(broker))[0]?.['mode'] === 'n');
  });
});
