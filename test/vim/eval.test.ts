import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

describe('eval', () => {
  const at = pair({ args: ['--auto-allow', 'exec'] });

  async function evaluate(expression: string, args: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call('eval', { expression, ...args });
  }

  for (const [expression, value] of [
    ['1 + 1', 2],
    ['\'ünï 🙂\' . "\\n"', 'ünï 🙂\n'],
    ["{'a': [1, 2.5, v:true, v:null, {}], 'b': ''}", { a: [1, 2.5, true, null, {}], b: '' }],
    ['[v:false, v:none]', [false, null]],
    ['map([1, 2], "v:val * 2")', [2, 4]],
  ] as const) {
    it(`answers ${expression} as JSON`, async () => {
      const result = await evaluate(expression);
      assert.deepEqual(result.value, { target: 'ed', value }, result.text);
    });
  }

  for (const [expression, value, note] of [
    ["[function('tr')]", ["function('tr')"], /^\$\[0\]: func\(.*, as text$/],
    ["{'x': 0zFF01}", { x: '0zFF01' }, /^\$\.x: blob, as text$/],
    ['0.0 / 0.0', 'nan', /no finite number/],
    ['[-1.0 / 0.0]', ['-inf'], /no finite number/],
    ['9007199254740993', '9007199254740993', /large number/],
    ['"\\xff"', '<ff>', /no text/],
  ] as const) {
    it(`gives ${expression} as text, and says so`, async () => {
      const { value: answer, text } = await evaluate(expression);
      assert.deepEqual(answer['value'], value, text);
      assert.match((answer['notes'] as string[])[0] ?? '', note);
    });
  }

  it('answers values that are too deep, too many, endless or too large', async () => {
    await at.vim.ex('let g:endless = [1] | call add(g:endless, g:endless)');
    await at.vim.ex('let g:many = [0] | for i in range(40) | let g:many = [g:many, g:many] | endfor');
    for (const [expression, note] of [
      ['g:endless', /nested too deep/],
      ['g:many', /too deep|too large|more than/],
      ['range(100000)', /too large/],
      ["repeat('x', 100000)", /^\$: too large \(100002 bytes\), the beginning as text$/],
    ] as const) {
      const result = await evaluate(expression);
      assert.equal(result.isError, false, result.text);
      assert.match((result.value['notes'] as string[])[0] ?? '', note);
      assert.ok(result.text.length < 150_000);
    }
  });

  it('tells the error of Vim', async () => {
    for (const [expression, text] of [
      ['nosuch()', /^E117: Unknown function: nosuch/],
      ['1 +', /^E15: Invalid expression/],
      ['[1][5]', /^E684: /],
      ['a\0', /NUL/],
    ] as const) {
      const result = await evaluate(expression);
      assert.equal(result.isError, true);
      assert.match(result.text, text);
    }
    assert.equal(await at.vim.eval("execute('messages') =~ 'E117'"), 0);
  });

  it('looks while the person is in the middle of something', async () => {
    await at.vim.buffer(['1', '2', '3']);
    at.vim.type('Vj');
    await at.vim.until('mode(1)', 'V');
    assert.deepEqual((await evaluate("[mode(), line('v'), line('.')]")).value['value'], ['V', 1, 2]);
    at.vim.type('\x1b');
    await at.vim.until('mode(1)', 'n');
  });

  it('tells which prompt it waits in', async () => {
    const pending = evaluate("input('Name? ')", { timeout: 1 });
    await at.vim.until('getcmdtype()', '@');
    assert.match((await pending).text, /a question of a script/);
    at.vim.type('\r');
    await at.vim.until('mode()', 'n');
  });
});
