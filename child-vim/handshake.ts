import { asFault, Fault } from '../shared/fault.js';
import { limits } from '../shared/limits.js';
import type { Link } from '../shared/link.js';
import type { Dialled, RawHandler } from '../shared/listener.js';
import { log } from '../shared/log.js';
import { nonce as freshNonce, isOwnAddress, isProof, proofOf } from '../shared/proof.js';
import { acceptedToken } from '../shared/token.js';
import { Calls, Unanswered } from './calls.js';
import { Editor } from './editor.js';
import { type Editors, LONGEST_NAME } from './editors.js';
import { type Hello, hello, MAJOR, MINOR, prove } from './protocol.js';
import { takeBackAsked } from './take-back.js';
import { Trace, traceBase } from './trace.js';

/** The raw-line protocols of a Vim that connects. */
export function vimProtocols(editors: Editors, tokens: () => readonly string[]): ReadonlyMap<string, RawHandler> {
  return new Map<string, RawHandler>([
    ['mcp-vim-prove', (words, link, at) => proveAndGreet(words, link, at, editors, tokens())],
    ['mcp-vim', (words, link) => plainHello(words, link, editors, tokens())],
  ]);
}

/** Proves that this broker knows the token, then waits for the plugin's own proof. */
function proveAndGreet(
  words: readonly unknown[],
  link: Link,
  at: Dialled,
  editors: Editors,
  tokens: readonly string[],
): void {
  const parsed = prove.safeParse(words);
  if (!parsed.success) throw new Fault('protocol', 'a Vim asked for no proper proof');
  const [, nonce, dialled] = parsed.data;
  if (!isOwnAddress(dialled, at)) throw new Fault('denied', 'a Vim dialled another address than this one');
  const own = freshNonce();
  const claim = `${dialled}:${nonce}:${own}`;
  const greeting = new Greeting(link, editors, (cookie) => isProof(cookie, 'editor', claim, tokens));
  link.send(JSON.stringify(['mcp-vim-proof', own, tokens.map((token) => proofOf(token, 'broker', claim))]));
  greeting.begin();
}

/** A plugin that sends the token at once. */
function plainHello(words: readonly unknown[], link: Link, editors: Editors, tokens: readonly string[]): void {
  const greeting = new Greeting(link, editors, (cookie) => acceptedToken(cookie, tokens));
  greeting.hello(words);
  greeting.begin();
}

/** From the hello to an editor that is ready. Until then the link's lines come here. */
class Greeting {
  readonly #link: Link;
  readonly #editors: Editors;
  readonly #accepts: (cookie: string) => boolean;
  #calls: Calls | undefined;
  #editor: Editor | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: Link, editors: Editors, accepts: (cookie: string) => boolean) {
    this.#link = link;
    this.#editors = editors;
    this.#accepts = accepts;
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#link.close(new Fault('timeout', 'no hello in time')), limits.greeting / 2);
    this.#link.start({
      message: (bytes) => this.#message(bytes),
      end: (why) => this.#end(why),
    });
  }

  /** Takes the hello line; a refusal is told to the plugin, then the link is closed. */
  hello(words: unknown): void {
    const parsed = hello.safeParse(words);
    if (!parsed.success) throw new Fault('protocol', 'a Vim sent no proper hello');
    const listening = {
      event: (name: string, details: Readonly<Record<string, unknown>>) => this.#editor?.event(name, details),
      end: (why: Fault) => this.#gone(why),
    };
    this.#calls = new Calls(this.#link, listening, this.#editors.patience);
    this.#greet(parsed.data, this.#calls).catch((error: unknown) => this.#refuse(asFault(error)));
  }

  #message(bytes: Buffer): void {
    if (this.#calls !== undefined) {
      this.#calls.message(bytes);
      return;
    }
    try {
      this.hello(JSON.parse(bytes.toString()) as unknown);
    } catch (error) {
      this.#link.close(asFault(error));
    }
  }

  async #greet([, cookie, major, minor, target, instance]: Hello, calls: Calls): Promise<void> {
    if (!this.#accepts(cookie)) throw new Fault('denied', 'the token is not accepted');
    checkVersion(major, minor);
    const name = this.#editors.assign(checkedName(target), instance);
    // Before it is told: what knows of the welcome finds the editor here.
    const traced = this.#editors.isTraced ? await traceBase(name) : undefined;
    const welcome = await calls.call(
      'welcome',
      { target: name, major: MAJOR, minor: MINOR },
      undefined,
      limits.greeting / 2,
    );
    const { pid, cwd, version, verbs } = welcome;
    clearTimeout(this.#timer);
    const facts = { pid, cwd, version, plugin: `${major}.${minor}`, verbs: new Set(verbs) };
    const editor = new Editor(name, instance, facts, calls, this.#editors.patience);
    editor.onUndo = (client) => takeBackAsked(editor, client);
    if (traced !== undefined) keepTrace(editor, traced);
    this.#editor = editor;
    this.#editors.add(this.#editor);
    log.info(`${name} connected (Vim ${version}, process ${pid})`);
  }

  /** Tells the plugin that it need not come again; one that was only too slow may. */
  #refuse(why: Fault): void {
    clearTimeout(this.#timer);
    log.warn(`a Vim was refused: ${why.message}`);
    if (!(why instanceof Unanswered)) {
      // The plugin may be of another version: it is told, not asked.
      void this.#calls
        ?.call('refused', { message: why.message }, undefined, limits.greeting / 2)
        .catch(() => undefined);
    }
    this.#link.close(why);
  }

  #end(why: Fault): void {
    clearTimeout(this.#timer);
    if (this.#calls === undefined) return;
    this.#calls.end(why);
  }

  #gone(why: Fault): void {
    if (this.#editor === undefined) return;
    this.#editor.ended(why);
    this.#editors.remove(this.#editor);
    log.info(`${this.#editor.name} went away`);
  }
}

/** Has what happens in the editor written down. */
function keepTrace({ name, facts, feed }: Editor, base: string): void {
  const header = { type: 'trace', version: 1, target: name, vim: facts.version } as const;
  feed.trace = new Trace(base, header, () => feed.stateLines());
}

function checkedName(target: string): string {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}._#-]*$/u.test(target) || target.length > LONGEST_NAME) {
    throw new Fault(
      'invalid',
      `a target name is 1 to ${LONGEST_NAME} letters, digits and . _ - #, and begins with one of the first two`,
    );
  }
  return target;
}

/** Same major version, and a minor one no newer. The text begins with what to do, for Vim shows one line of it. */
function checkVersion(major: number, minor: number): void {
  const [plugin, broker] = [`${major}.${minor}`, `${MAJOR}.${MINOR}`];
  if (major < MAJOR) throw new Fault('unsupported', `update the Vim plugin: it speaks ${plugin}, mcp-vim ${broker}`);
  if (major > MAJOR || minor > MINOR) {
    throw new Fault('unsupported', `update mcp-vim: it speaks ${broker}, the Vim plugin ${plugin}`);
  }
}
