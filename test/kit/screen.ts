import xterm from '@xterm/headless';

/** What a terminal of 80 by 24 shows, from the bytes a program writes to it. */
export class Screen {
  readonly #terminal = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });

  /** `reply` gets the answers to the program's questions about the terminal. */
  constructor(reply: (data: string) => void) {
    this.#terminal.onData(reply);
  }

  /** Takes what the program wrote. */
  write(chunk: Buffer): void {
    this.#terminal.write(chunk);
  }

  /** The rows, without trailing blanks. */
  get rows(): string[] {
    const buffer = this.#terminal.buffer.active;
    return Array.from(
      { length: 24 },
      (_, row) =>
        buffer
          .getLine(buffer.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
  }

  /** Row and column of the cursor, from 0. */
  get cursor(): { row: number; column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }
}
