import { asFault, Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import type { Dialled, RawHandler } from '../shared/listener.js';
import { log } from '../shared/log.js';
import { nonce as freshNonce, isOwnAddress, isProof, proofOf } from '../shared/proof.js';
import { acceptedToken } from '../shared/token.js';
import { Calls } from './calls.js';
import { Editor } from './editor.js';
import type { Editors } from './editors.js';
import { answers, type Hello, hello, MAJOR, MINOR, prove } from './protocol.js';

/** Milliseconds a plugin has for each step of the handshake. */
const PATIENCE = 5000;

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
    this.#timer = setTimeout(() => this.#link.close(new Fault('timeout', 'no hello in time')), PATIENCE);
    this.#link.start({
      message: (bytes) => this.#message(bytes),
      end: (why) => this.#end(why),
    });
  }

  /** Takes the hello line; a refusal is told to the plugin, then the link is closed. */
  hello(words: unknown): void {
    const parsed = hello.safeParse(words);
    if (!parsed.success) throw new Fault('protocol', 'a Vim sent no proper hello');
    this.#calls = new Calls(this.#link, {
      event: (name) => this.#editor?.event(name),
      end: (why) => this.#gone(why),
    });
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
    if (major !== MAJOR || minor > MINOR) {
      throw new Fault(
        'unsupported',
        `plugin and broker differ: the plugin speaks ${major}.${minor}, the broker ${MAJOR}.${MINOR}`,
      );
    }
    const name = this.#editors.assign(checkedName(target), instance);
    const welcome = await calls.call('welcome', { target: name, major: MAJOR, minor: MINOR }, undefined, PATIENCE);
    checkVerbs(welcome.verbs);
    const { pid, cwd, version } = welcome;
    clearTimeout(this.#timer);
    this.#editor = new Editor(name, instance, { pid, cwd, version }, calls);
    this.#editors.add(this.#editor);
    log.info(`${name} connected (Vim ${version}, process ${pid})`);
  }

  #refuse(why: Fault): void {
    clearTimeout(this.#timer);
    log.warn(`a Vim was refused: ${why.message}`);
    // The plugin may be of another version: it is told, not asked.
    void this.#calls?.call('refused', { message: why.message }, undefined, PATIENCE).catch(() => undefined);
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

function checkedName(target: string): string {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}._#-]{0,63}$/u.test(target)) {
    throw new Fault(
      'invalid',
      'a target name is 1 to 64 letters, digits and . _ - #, and begins with one of the first two',
    );
  }
  return target;
}

/** The plugin's verbs are exactly those the broker knows. */
function checkVerbs(announced: readonly string[]): void {
  const known = Object.keys(answers).sort().join(' ');
  if ([...announced].sort().join(' ') === known) return;
  throw new Fault('unsupported', 'plugin and broker offer different operations; update both to one release');
}
