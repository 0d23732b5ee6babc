/** `scanner.wat` as `wat2wasm` compiles it: 64 bytes at a time, several times as fast as JavaScript can. */
export const CODE =
  'AGFzbQEAAAABBwFgAn9/AX8DAgEABQMBAAIHFQIGbWVtb3J5AgAIcGxhaW5FbmQAAAqWBQGTBQIGewZ+/QwAAA0ACAAEAAAAAAACAAQBIQb9DAAAAQAAAgQIAAAAAAAAAAAhBwNAIAAgAU8EQCABIA2naw8LIAD9AAAAIQIgAP0AABAhAyAA/QAAICEEIAD9AAAwIQUgAkHcAP0P/SP9ZCADQdwA/Q/9I/1kQRB0cq0gBEHcAP0P/SP9ZCAFQdwA/Q/9I/1kQRB0cq1CIIaEIQggAkEg/Q/9JiACQSL9D/0j/VD9ZCADQSD9D/0mIANBIv0P/SP9UP1kQRB0cq0gBEEg/Q/9JiAEQSL9D/0j/VD9ZCAFQSD9D/0mIAVBIv0P/SP9UP1kQRB0cq1CIIaEIQogDSEJIAhQBEBCACENBSAIIA1Cf4WDIQggCEIBhiANhCEJIAhCqtWq1arVqtWqf4MgCUJ/hYMhCyALIAh8IQwgDCAIVK0hDULVqtWq1arVqtUAIAxCAYaFIAmDIQkLIAlCAFIEQCAKIAlCf4WDIAn9DAAAAAAAAAAAAAAAAAAAAAAgBiACQQ/9D/1O/Q4gByACQQT9jQFBD/0P/U79Dv1O/SP9ZP0MAAAAAAAAAAAAAAAAAAAAACAGIANBD/0P/U79DiAHIANBBP2NAUEP/Q/9Tv0O/U79I/1kQRB0cq39DAAAAAAAAAAAAAAAAAAAAAAgBiAEQQ/9D/1O/Q4gByAEQQT9jQFBD/0P/U79Dv1O/SP9ZP0MAAAAAAAAAAAAAAAAAAAAACAGIAVBD/0P/U79DiAHIAVBBP2NAUEP/Q/9Tv0O/U79I/1kQRB0cq1CIIaEg4QhCgsgASAAa0HAAEkEQCAKQn8gASAAa62GhCEKCyAKUARAIABBwABqIQAMAQsgCnohCiAAIAqnaiAJIAqIQgGDp2sPCwAL';

/** Bytes that are copied in at a time: few at first, for most strings end soon. */
const FIRST = 512;
const WINDOW = 64 * 1024;

interface Instance {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly plainEnd: (at: number, end: number) => number;
}

declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Looks along one text at a time, in strings. */
export class Scanner {
  readonly #memory: Uint8Array;
  readonly #code: Instance;
  /** The text whose bytes from `base` to `limit` are copied in. */
  #text: Buffer | undefined;
  #base = 0;
  #limit = 0;

  /** @throws where WebAssembly has no vector instructions. */
  constructor() {
    this.#code = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(CODE, 'base64'))).exports as Instance;
    this.#memory = new Uint8Array(this.#code.memory.buffer);
  }

  /**
   * The offset of the first byte from `start` on that neither stands for itself nor belongs to an escape of two bytes:
   * a quote, a control, a backslash that needs a closer look; `end` if there is none before it.
   */
  plainEnd(text: Buffer, start: number, end: number = text.length): number {
    let at = start;
    while (at < end) {
      if (text !== this.#text || at < this.#base || at >= this.#limit) this.#load(text, at);
      const limit = Math.min(this.#limit, end);
      const found = this.#base + this.#code.plainEnd(at - this.#base, limit - this.#base);
      if (found < limit) return found;
      at = found;
    }
    return at;
  }

  /** Lets go of the text. */
  forget(): void {
    this.#text = undefined;
  }

  #load(text: Buffer, start: number): void {
    // By one more where an escape lay across the end.
    const goesOn = text === this.#text && start - this.#limit <= 1 && start >= this.#limit;
    const size = goesOn ? Math.min((this.#limit - this.#base) * 4, WINDOW) : FIRST;
    const part = text.subarray(start, start + size);
    this.#memory.set(part);
    this.#text = text;
    this.#base = start;
    this.#limit = start + part.length;
  }
}
