/**
 * Finds the end of what stands for itself in long JSON strings, sixteen bytes at a time: a few instructions of
 * WebAssembly do that four times as fast as JavaScript can. Their text, for `wat2wasm`:
 *
 * (module
 *   (memory (export "memory") 2)
 *   (func (export "plainEnd") (param $at i32) (param $end i32) (result i32)
 *     (local $found i32) (local $v v128)
 *     (loop $next
 *       (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
 *       (local.set $v (v128.load align=1 (local.get $at)))
 *       (local.set $found (i8x16.bitmask (v128.or
 *         (i8x16.lt_u (local.get $v) (i8x16.splat (i32.const 0x20)))
 *         (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
 *                  (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c)))))))
 *       (if (i32.eqz (local.get $found)) (then
 *         (local.set $at (i32.add (local.get $at) (i32.const 16)))
 *         (br $next)))
 *       (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
 *       (if (i32.ge_u (i32.add (local.get $at) (i32.const 1)) (local.get $end))
 *         (then (return (select (local.get $end) (local.get $at) (i32.gt_u (local.get $at) (local.get $end))))))
 *       (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5c)) (then (return (local.get $at))))
 *       (if (i32.eqz (i32.load8_u offset=0x10000 (i32.load8_u offset=1 (local.get $at)))) (then (return (local.get $at))))
 *       (local.set $at (i32.add (local.get $at) (i32.const 2)))
 *       (br $next))
 *     (unreachable)))
 */
const CODE =
  'AGFzbQEAAAABBwFgAn9/AX8DAgEABQMBAAIHFQIGbWVtb3J5AgAIcGxhaW5FbmQAAAqXAQGUAQIBfwF7A0AgACABTwRAIAEPCyAA/QAAACEDIANBIP0P/SYgA0Ei/Q/9IyADQdwA/Q/9I/1Q/VD9ZCECIAJFBEAgAEEQaiEADAELIAAgAmhqIQAgAEEBaiABTwRAIAEgACAAIAFLGw8LIAAtAABB3ABHBEAgAA8LIAAtAAEtAICABEUEQCAADwsgAEECaiEADAALAAs=';

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

/** Looks along one text at a time. */
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
    for (const byte of Buffer.from('"\\/bfnrt')) this.#memory[WINDOW + byte] = 1;
  }

  /**
   * The offset of the first byte from `start` on that neither stands for itself nor belongs to an escape of two bytes:
   * a quote, a control, a backslash that needs a closer look; the length of the text if there is none.
   */
  plainEnd(text: Buffer, start: number): number {
    for (let at = start; ; at = this.#limit) {
      if (text !== this.#text || at < this.#base || at >= this.#limit) this.#load(text, at);
      const found = this.#base + this.#code.plainEnd(at - this.#base, this.#limit - this.#base);
      if (found < this.#limit || this.#limit >= text.length) return found;
    }
  }

  /** Lets go of the text. */
  forget(): void {
    this.#text = undefined;
  }

  #load(text: Buffer, start: number): void {
    const goesOn = text === this.#text && start === this.#limit;
    const size = goesOn ? Math.min((this.#limit - this.#base) * 4, WINDOW) : FIRST;
    const part = text.subarray(start, start + size);
    this.#memory.set(part);
    this.#text = text;
    this.#base = start;
    this.#limit = start + part.length;
  }
}
