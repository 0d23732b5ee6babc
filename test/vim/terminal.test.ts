/** Questions in a terminal. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Prompt } from '../../shared/prompt.js';
import { ASK, PROMPT as QUESTION } from '../kit/prompt.js';
import { Screen } from '../kit/screen.js';
import { eventually, soon } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { PROGRAM } from './broker.js';
import { stage } from './fixture.js';

const PROMPT: Prompt = { ...QUESTION, terminal: true };
const LONG: Prompt = {
  ...PROMPT,
  details: `${Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n')}\nrm -rf everything\n\n(600 characters)`,
};
const READY = 'Your answer [d]:';

describe('a question in a terminal', () => {
  const at = stage();

  /** A terminal in which a program runs, which cannot be asked anything before it is ready. */
  class Terminal {
    readonly #process: ChildProcess;
    readonly #screen: Screen;
    readonly ended: Promise<unknown>;

    constructor(command: string, typedAhead = '') {
      const line = `stty rows 24 cols 80; ${command}`;
      this.#process = spawn('script', ['-qfec', line, '/dev/null'], { env: at.home.env, detached: true });
      this.#screen = new Screen(() => undefined);
      this.#process.stdout?.on('data', (chunk: Buffer) => this.#screen.write(chunk));
      this.#process.stdin?.on('error', () => undefined);
      this.ended = once(this.#process, 'exit');
      this.type(typedAhead);
      at.own(this);
    }

    type(keys: string): void {
      this.#process.stdin?.write(keys);
    }

    get rows(): string[] {
      return this.#screen.rows;
    }

    async shows(text: string): Promise<void> {
      await this.#until(`it shows ${text}`, () => this.rows.some((row) => row.includes(text)));
    }

    /** Types keys, and waits until it asks for more with this row. */
    async answers(keys: string, row: string): Promise<void> {
      const before = this.rows.join();
      this.type(keys);
      const asks = (): boolean => this.rows.findLast((one) => one !== '') === row;
      await this.#until(`it asks ${row}`, () => this.rows.join() !== before && asks());
    }

    async #until(what: string, check: () => boolean): Promise<void> {
      await eventually(what, check).catch((error: unknown) => {
        throw new Error(this.rows.join('\n'), { cause: error });
      });
    }

    close(): void {
      try {
        process.kill(-(this.#process.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }

  async function asked(
    prompt: Prompt,
    typedAhead = '',
  ): Promise<{ terminal: Terminal; answer: () => Promise<unknown> }> {
    const [question, answer] = [join(at.home.path, 'question'), join(at.home.path, 'answer')];
    await writeFile(question, `${JSON.stringify(prompt)}\n`);
    const terminal = new Terminal(`${process.execPath} ${ASK} tty < ${question} > ${answer}`, typedAhead);
    await terminal.shows(READY);
    return {
      terminal,
      answer: async () => {
        await soon('end of the question', terminal.ended);
        return JSON.parse(await readFile(answer, 'utf8')) as unknown;
      },
    };
  }

  it('shows who asks first, and the text as it is', async () => {
    const { terminal } = await asked(PROMPT);
    const rows = terminal.rows.filter((row) => row !== '');
    assert.deepEqual(rows, [
      'mcp-vim default: Allow in the editor ed: change buffer 3 (notes.md)?',
      '@@ -1,1 +1,1 @@',
      '-one',
      '+two \\u{202e}x',
      '(27 characters)',
      'a: allow once   A: allow always   d: deny once   D: deny always',
      READY,
    ]);
  });

  const [NUMBER, WHY] = ['Number [none]:', 'Why, for the assistant [nothing]:'];
  for (const [steps, last, answer] of [
    [[], 'a\r', { decision: 'allow' }],
    [[], 'xx\x7f\x7fa\r', { decision: 'allow' }],
    [[], '\r', { decision: 'deny' }],
    [[], 'y\r', { decision: 'deny' }],
    [[], 'yes, allow\r', { decision: 'deny' }],
    [[], 'aa\r', { decision: 'deny' }],
    [[], 'a\x03', { decision: 'deny' }],
    [[], '\x04', { decision: 'deny' }],
    [[['d\r', WHY]], '\r', { decision: 'deny' }],
    [[['d\r', WHY]], 'not ünder this name\r', { decision: 'deny', reason: 'not ünder this name' }],
    [[['A\r', NUMBER]], '2\r', { decision: 'allow', scope: 1 }],
    [[['A\r', NUMBER]], '\r', { decision: 'deny' }],
    [[['A\r', NUMBER]], '3\r', { decision: 'deny' }],
    [
      [
        ['D\r', NUMBER],
        ['1\r', WHY],
      ],
      'never\r',
      { decision: 'deny', scope: 0, reason: 'never' },
    ],
  ] as const)
    it(`takes ${JSON.stringify([...steps.map(([keys]) => keys), last])} as ${JSON.stringify(answer)}`, async () => {
      const { terminal, answer: given } = await asked(PROMPT);
      for (const [keys, row] of steps) await terminal.answers(keys, row);
      terminal.type(last);
      assert.deepEqual(await given(), answer);
    });

  it('does not take what was typed before for an answer', async () => {
    const { terminal, answer } = await asked(PROMPT, 'a\ra');
    terminal.type('\r');
    assert.deepEqual(await answer(), { decision: 'deny' });
  });

  it('cannot be allowed before all of it was shown', async () => {
    const { terminal, answer } = await asked(LONG);
    const all = (): string => terminal.rows.join('\n');
    assert.match(all(), /… 65 lines; v shows all of them/);
    assert.doesNotMatch(all(), /rm -rf/);
    await terminal.answers('a\r', READY);
    assert.match(all(), /Not all of it has been shown yet/);
    await terminal.answers('v\r', '-- 21 of 65 lines; Enter for more, q to stop --');
    await terminal.answers('q\r', READY);
    await terminal.answers('a\r', READY);
    await terminal.answers('v\r', '-- 21 of 65 lines; Enter for more, q to stop --');
    await terminal.answers('\r', '-- 42 of 65 lines; Enter for more, q to stop --');
    await terminal.answers('\r', '-- 63 of 65 lines; Enter for more, q to stop --');
    assert.match(all(), /rm -rf everything/);
    await terminal.answers('\r', READY);
    terminal.type('a\r');
    assert.deepEqual(await answer(), { decision: 'allow' });
  });

  it('keeps who asks on the screen, however much is to be shown', async () => {
    const { terminal } = await asked({
      ...PROMPT,
      message: `open ${'世\\u{202e}'.repeat(900)}`,
      details: '\t\n'.repeat(99),
    });
    const rows = terminal.rows.filter((row) => row !== '');
    assert.match(rows[0] ?? '', /^mcp-vim default: open 世/);
    assert.equal(rows.at(-1), READY);
  });

  it('of an mcp-vim that runs there is asked there', async () => {
    const terminal = new Terminal(`exec ${process.execPath} ${PROGRAM} --ask tty --bind :0`);
    await terminal.shows('listens on');
    const file = join(at.home.path, 'run/mcp-multibroker/vim-default.json');
    const { url } = JSON.parse(await readFile(file, 'utf8')) as { url: string };
    const client = at.own(new Client({ name: 'test', version: '0' }));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const vim = at.own(await Vim.start(at.home));
    await vim.ex('Mcp ed');
    await terminal.shows('ed connected');
    const done = client.callTool({ name: 'ex', arguments: { command: 'let g:x = 1' } });
    await terminal.shows('mcp-vim default: Allow in the editor ed: run this Ex command?');
    await terminal.shows(READY);
    terminal.type('a\r');
    assert.notEqual((await done).isError, true);
    assert.equal(await vim.eval('g:x'), 1);
    const stop = new AbortController();
    const request = { name: 'ex', arguments: { command: 'let g:x = 2' } };
    const cancelled = client.callTool(request, { signal: stop.signal });
    await terminal.shows('let g:x = 2');
    stop.abort();
    await assert.rejects(cancelled);
    await terminal.shows('This is not asked any more.');
  });
});
