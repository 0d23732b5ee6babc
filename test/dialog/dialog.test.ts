/** Questions in real windows of yad and zenity, on a screen of their own. */
import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Prompt } from '../../shared/prompt.js';
import { cleanup } from '../kit/cleanup.js';
import { ASK, PROMPT } from '../kit/prompt.js';
import { eventually, soon } from '../kit/until.js';

/** Where pictures of the windows are left to be looked at. */
const PICTURES = resolve(import.meta.dirname, '../../pictures');

interface Asked {
  /** Presses one of the buttons at the bottom, from 0 on the left. */
  press(button: number): void;
  key(...keys: readonly string[]): void;
  type(text: string): void;
  /** Clicks so far below the top of the window. */
  click(below: number): void;
  /** Waits for the next window. */
  next(title: string): Promise<void>;
  /** What the window looks like. */
  picture(name: string): string;
  answer(): Promise<unknown>;
}

/** The buttons of a question, from left to right. */
const BUTTONS = {
  yad: ['deny because', 'always deny', 'deny', 'always allow', 'allow'],
  zenity: ['deny', 'deny because', 'allow', 'always allow', 'always deny'],
} as const;
/** Where the first row of the list is, from the top of the window. */
const ROW = { yad: 36, zenity: 52 } as const;

let server: ChildProcess;
let display = '';

before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1024x700x24', '-nolisten', 'tcp', '-noreset'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await soon('screen', once(server.stdio[3] as NodeJS.ReadableStream, 'data'))) as [Buffer];
  display = `:${number.toString().trim()}`;
});
after(() => server.kill());

for (const program of ['yad', 'zenity'] as const)
  describe(`a question in ${program}`, () => {
    /** A folder with this program alone: it is the one that is found. */
    const bin = mkdtempSync(join(tmpdir(), 'mcp-bin-'));
    const env = (): NodeJS.ProcessEnv => ({ PATH: bin, HOME: bin, DISPLAY: display, LANG: 'C.UTF-8' });
    before(() => symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(bin, program)));
    after(() => rmSync(bin, { recursive: true }));

    const x = (...args: readonly string[]): string =>
      execFileSync('xdotool', args, { env: { ...process.env, DISPLAY: display }, encoding: 'utf8' }).trim();

    /** The program that asks, which has ended when the test has. */
    function helper(t: TestContext, on = display): ChildProcessByStdio<Writable, Readable, null> {
      const asking = spawn(process.execPath, [ASK, 'dialog'], {
        env: { ...env(), DISPLAY: on },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      cleanup(t, async () => {
        if (asking.kill()) await once(asking, 'exit');
      });
      return asking;
    }

    async function ask(t: TestContext, prompt: Prompt): Promise<Asked> {
      const asking = helper(t);
      const ended = once(asking.stdout, 'data') as Promise<[Buffer]>;
      asking.stdin.write(`${JSON.stringify(prompt)}\n`);
      let window = '';
      const next = async (title: string): Promise<void> => {
        window = await eventually(`the window ${title}`, () => {
          const found = x('search', '--onlyvisible', '--name', title).split('\n').at(-1) ?? '';
          return found === '' ? undefined : found;
        });
        x('windowfocus', '--sync', window);
        let last = '';
        await eventually('the window is drawn', () => {
          const [colours = '', now = ''] = looks(join(bin, 'window.png')).split(' ');
          const isDrawn = Number(colours) > 2 && now === last;
          last = now;
          return isDrawn;
        });
      };
      /** Writes a picture; how many colours its upper part has, where no caret blinks, and its digest. */
      const looks = (file: string): string => {
        execFileSync('import', ['-display', display, '-window', window, file]);
        return execFileSync('convert', [file, '-crop', '700x90+0+0', '-format', '%k %#', 'info:'], {
          encoding: 'utf8',
        });
      };
      const size = (): { x: number; y: number; width: number; height: number } => {
        const found = x('getwindowgeometry', '--shell', window);
        const number = (name: string): number => Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(found)?.[1]);
        return { x: number('X'), y: number('Y'), width: number('WIDTH'), height: number('HEIGHT') };
      };
      const clickAt = (left: number, top: number): void =>
        void x('mousemove', String(Math.round(left)), String(Math.round(top)), 'click', '1');
      await next(`^${prompt.from}$`);
      return {
        next,
        key: (...keys) => void x('key', '--delay', '30', ...keys),
        type: (text) => void x('type', text),
        press: (button) => {
          const { x: left, y: top, width, height } = size();
          clickAt(left + ((button + 0.5) * width) / BUTTONS[program].length, top + height - 22);
        },
        click: (below) => {
          const { x: left, y: top } = size();
          clickAt(left + 60, top + below);
        },
        picture: (name) => looks(join(PICTURES, `${program}-${name}.png`)),
        answer: async () => JSON.parse(String((await soon('answer', ended))[0])) as unknown,
      };
    }

    const button = (name: string): number => (BUTTONS[program] as readonly string[]).indexOf(name);

    for (const decision of ['allow', 'deny'] as const)
      it(`is answered by the button ${decision}`, async (t) => {
        const { press, answer, picture } = await ask(t, PROMPT);
        picture('question');
        press(button(decision));
        assert.deepEqual(await answer(), { decision });
      });

    it('is not allowed by any key that was meant for something else', async (t) => {
      const { key, answer } = await ask(t, PROMPT);
      key('a', 'y', 'space', 'o', 'Return', 'Escape', 'Escape');
      assert.equal(((await answer()) as { decision: string }).decision, 'deny');
    });

    it('is denied with a reason', async (t) => {
      const { press, next, type, key, answer } = await ask(t, PROMPT);
      press(button('deny because'));
      await next('why not');
      type('not now');
      key('Return');
      assert.deepEqual(await answer(), { decision: 'deny', reason: 'not now' });
    });

    it('is decided for ever in a scope from a list, and not at all without one', async (t) => {
      for (const [choice, title] of [
        ['always allow', 'always allow'],
        ['always deny', 'always deny'],
      ] as const) {
        const { press, next, click, key, picture, answer } = await ask(t, PROMPT);
        press(button(choice));
        await next(title);
        picture(title.replace(' ', '-'));
        click(ROW[program]);
        key('Down', 'Return');
        assert.deepEqual(await answer(), { decision: choice.slice('always '.length), scope: 1 });
      }
      const { press, next, key, answer } = await ask(t, PROMPT);
      press(button('always allow'));
      await next('always allow');
      key('Escape');
      assert.deepEqual(await answer(), { decision: 'deny' });
    });

    it('takes no scope for an option of the program', async (t) => {
      const trace = join(bin, 'trace');
      const prompt = { ...PROMPT, scopes: [`--select-action=touch ${trace}`, `--dclick-action=touch ${trace}`] };
      const { press, next, click, key, answer } = await ask(t, prompt);
      press(button('always allow'));
      await next('always allow');
      click(ROW[program]);
      key('Down', 'Return');
      assert.deepEqual(await answer(), { decision: 'allow', scope: 1 });
      assert.ok(!existsSync(trace));
    });

    it('shows markup as text', async (t) => {
      /** How a text looks in all places of a question. */
      const shown = async (text: string): Promise<string[]> => {
        const prompt = { ...PROMPT, message: text, details: '\n'.repeat(9), scopes: [text, text] };
        const { press, next, key, picture, answer } = await ask(t, prompt);
        const question = picture('markup-question');
        press(button('always allow'));
        await next('always allow');
        const list = picture('markup-list');
        key('Escape');
        await answer();
        return [question, list];
      };
      const [question, list] = await shown('ab');
      assert.deepEqual(await shown('ab'), [question, list], 'the same looks the same');
      const [markedQuestion, markedList] = await shown('a<b></b>b');
      assert.notEqual(question, markedQuestion);
      assert.notEqual(list, markedList);
    });

    it('that cannot be shown is no answer', async (t) => {
      const asking = helper(t, ':0.7777');
      asking.stdin.write(`${JSON.stringify(PROMPT)}\n`);
      const [line] = (await soon('answer', once(asking.stdout, 'data'))) as [Buffer];
      assert.deepEqual(JSON.parse(String(line)), { error: `${program} cannot open the display` });
    });

    it('goes away when the one who asks is ended', async (t) => {
      const asking = helper(t);
      asking.stdin.write(`${JSON.stringify({ ...PROMPT, from: 'going' })}\n`);
      const windows = (): string => x('search', '--onlyvisible', '--name', '^going$');
      await eventually('it is shown', () => windows() !== '');
      asking.kill();
      await eventually('it is gone', () => {
        try {
          return windows() === '';
        } catch {
          return true;
        }
      });
    });
  });
