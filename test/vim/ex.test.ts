import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, DENY, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

describe('ex', () => {
  const at = pair();

  async function ex(command: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Result> {
    return await at.broker.call('ex', { command, ...args }, signal);
  }

  it('runs a command in the current window and answers its messages', async () => {
    await at.vim.buffer(['b', 'a']);
    const result = await ex("sort | echo 'one' | echo 'two'");
    assert.deepEqual(result.value, { target: 'ed', output: 'one\ntwo' }, result.text);
    assert.deepEqual(await at.vim.eval("[getline(1, '$'), mode()]"), [['a', 'b'], 'n']);
    await eventually('it is drawn', () => at.vim.screen()[0] === 'a');
  });

  it('runs several lines, as a script', async () => {
    const { value, text } = await ex(
      'let s = []\nfor n in range(3)\n  call add(s, n)\nendfor\nfunction! Twice(n)\n  return a:n * 2\nendfunction\nlet t =<< trim END\n  here | doc\nEND\necho s Twice(4) t "a" . "b"',
    );
    assert.equal(value['output'], "[0, 1, 2] 8 ['here | doc'] ab", text);
  });

  it('asks with the whole command, and runs nothing after a no', async () => {
    at.broker.answer = DENY;
    const result = await ex('let g:denied = 1\nlet g:more\u202e = "\x1b[2J"');
    assert.match(result.text, /did not allow it \(exec in ex:"ed":"let g:denied = 1\\nlet/);
    assert.match(
      at.broker.questions[0] ?? '',
      /run this Ex command\?\n\nlet g:denied = 1\nlet g:more\\u\{202e\} = "\\u\{1b\}\[2J"\n/,
    );
    assert.equal(await at.vim.eval("exists('g:denied')"), 0);
  });

  it('tells the error of Vim; what was done before stays', async () => {
    const buffer = await at.vim.buffer(['a']);
    const result = await ex("call setline(1, 'b')\nnosuch\ncall setline(1, 'c')");
    assert.equal(result.isError, true);
    assert.match(result.text, /^E492: Not an editor command: nosuch\..*stays done/);
    assert.deepEqual(await at.vim.lines(buffer), ['b']);
    assert.match((await ex("throw 'my own'")).text, /^my own/);
    assert.equal((await ex('return 3')).value['output'], '');
    assert.deepEqual(await at.vim.eval("[mode(1), execute('messages') =~ 'E492']"), ['n', 0]);
  });

  it('makes a buffer current and leaves it so, if it is at the tick', async () => {
    const other = await at.vim.buffer(['other']);
    const current = await at.vim.buffer(['current']);
    const stale = await ex('let g:stale = 1', { buffer: other, expected_changedtick: 1 });
    assert.match(stale.text, /changed since tick 1/);
    assert.match((await ex('let g:stale = 1', { expected_changedtick: 1 })).text, /needs buffer/);
    assert.deepEqual([await at.vim.eval("[bufnr(), exists('g:stale')]"), at.broker.questions], [[current, 0], []]);
    await at.vim.ex(`autocmd BufEnter <buffer=${other}> ++once call setline(1, 'entered')`);
    const tick = await at.vim.tick(other);
    assert.match((await ex('let g:stale = 1', { buffer: other, expected_changedtick: tick })).text, /changed since/);
    const done = await ex('s/ent/ENT/', { buffer: other, expected_changedtick: await at.vim.tick(other) });
    assert.equal(done.isError, false, done.text);
    assert.deepEqual(await at.vim.eval("[bufnr(), getline(1), exists('g:stale')]"), [other, 'ENTered', 0]);
  });

  it('cuts a long output, and says so', async () => {
    const { value } = await ex("echo repeat('ü', 40000)");
    assert.deepEqual([value['output'], value['bytes']], ['ü'.repeat(32_768), 80_000]);
  });

  it('waits until the person is back in Normal mode', async () => {
    await at.vim.buffer(['1', '2', '3']);
    at.vim.type('Vj');
    await at.vim.until('mode(1)', 'V');
    const pending = ex("let g:seen = getline(1, '$')");
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    assert.equal(await at.vim.eval("exists('g:seen')"), 0);
    at.vim.type('d');
    assert.equal((await pending).isError, false);
    assert.deepEqual(await at.vim.eval('g:seen'), ['3']);
  });

  for (const [what, command, mode, doing, finish] of [
    ['input()', "let g:given = input('Name? ')", 'c', /at a question of a script/, 'me\r'],
    [
      'confirm()',
      "let g:given = confirm('Sure?', \"&Yes\\n&No\", 1) == 2 ? 'me' : ''",
      'r?',
      /has a question to answer/,
      'n',
    ],
    ['s///c', "%s/a/b/c | let g:given = 'me'", 'r?', /has a question to answer/, 'y'],
  ] as const) {
    it(`tells which prompt it waits in: ${what}; other calls are served`, async () => {
      const other = await at.vim.buffer(['other']);
      const buffer = await at.vim.buffer(['a']);
      await at.vim.ex("let g:given = ''");
      const pending = ex(command, { timeout: 2 });
      await at.vim.until('mode(1)', mode);
      const read = await at.broker.call('read-lines', { buffer: other });
      assert.equal(read.value['text'], 'other\n');
      const edit = { buffer: other, expected_changedtick: await at.vim.tick(other), diff: change(1, 'other', 'new') };
      assert.equal((await at.broker.call('apply-diff', edit)).isError, false);
      const late = await pending;
      assert.equal(late.isError, true);
      assert.match(late.text, /^ed was not done after 2 s: the person .*"error":"timeout"/s);
      assert.match(late.text, doing);
      const waiting = at.broker.call('apply-diff', {
        buffer,
        expected_changedtick: await at.vim.tick(buffer),
        diff: change(1, 'a', 'c'),
      });
      await at.vim.until("exists('#mcp_gate#SafeState')", 1);
      assert.equal(await at.vim.eval('mode(1)'), mode);
      at.vim.type(finish);
      await at.vim.until('g:given', 'me');
      assert.equal((await waiting).isError, what === 's///c');
    });
  }

  it('stops waiting when it is cancelled', async () => {
    await at.vim.buffer(['a']);
    const cancel = new AbortController();
    const call = ex("let g:cancelled = input('? ')", {}, cancel.signal);
    await at.vim.until('getcmdtype()', '@');
    cancel.abort();
    await assert.rejects(call);
    at.vim.type('still\r');
    await at.vim.until("get(g:, 'cancelled', '')", 'still');
    assert.equal((await ex('echo 1')).value['output'], '1');
  });
});

describe('an Ex command that quits Vim', () => {
  const at = stage();

  it('is answered by saying that the editor went away', async () => {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', 'exec']));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const result = await broker.call('ex', { command: 'qa!' });
    assert.match(result.text, /^ed went away before it answered.*quits Vim.*"error":"gone"/s);
    await eventually('nobody is left', async () => (await broker.targets()).length === 0);
  });
});
