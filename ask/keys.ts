import type { ReadStream } from 'node:tty';

/** What somebody types into a terminal that is in raw mode, line by line; what comes unasked is dropped. */
export class Keys {
  readonly #print: (text: string) => void;
  #waiting: ((line: string) => void) | undefined;
  #typed = '';

  constructor(input: ReadStream, print: (text: string) => void) {
    this.#print = print;
    input.setEncoding('utf8');
    input.on('data', (text: string) => this.#take(text));
    input.on('end', () => this.#done(''));
    input.on('error', () => this.#done(''));
  }

  /** The next line that is typed from now on; an empty one for Ctrl-C and Ctrl-D. */
  line(): Promise<string> {
    this.#typed = '';
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #take(text: string): void {
    if (this.#waiting === undefined) return;
    // A key that sends several characters, as an arrow, is none of them.
    if (text.startsWith('\x1b')) return;
    for (const character of text) {
      if (character === '\r' || character === '\n') this.#done(this.#typed);
      else if (character === '\x03' || character === '\x04') this.#done('');
      else this.#edit(character);
    }
  }

  #edit(character: string): void {
    if (this.#waiting === undefined) return;
    if (character === '\x7f' || character === '\b') {
      if (this.#typed !== '') this.#print('\b \b');
      this.#typed = this.#typed.slice(0, -1);
    } else if (!/\p{C}/u.test(character) && this.#typed.length < 1000) {
      this.#typed += character;
      this.#print(character);
    }
  }

  #done(line: string): void {
    const resolve = this.#waiting;
    this.#waiting = undefined;
    if (resolve === undefined) return;
    this.#print('\n');
    resolve(line);
  }
}
