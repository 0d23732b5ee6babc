import { isObject, isString, Members, members, type Notes, type Span } from './json.js';

/** Where the members of a JSON-RPC message lie, noted while it is checked. */
export class Places implements Notes {
  version: Span | undefined;
  id: Span | undefined;
  method: Span | undefined;
  params: Span | undefined;
  result: Span | undefined;
  error: Span | undefined;
  readonly #bytes: Buffer;
  #inner: Members | undefined;
  #ofResult: Members | undefined;
  /** Whether a member stands twice, has another name, or has its name written with escapes. */
  #isUnusual = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  within(nameStart: number, nameEnd: number): Members | undefined {
    return isString(this.#bytes, nameStart, nameEnd, 'params') ? new Members(this.#bytes) : undefined;
  }

  note(nameStart: number, nameEnd: number, start: number, end: number, inner?: Members): void {
    const bytes = this.#bytes;
    const value: Span = { start, end };
    if (isString(bytes, nameStart, nameEnd, 'jsonrpc')) this.version = this.#first(this.version, value);
    else if (isString(bytes, nameStart, nameEnd, 'id')) this.id = this.#first(this.id, value);
    else if (isString(bytes, nameStart, nameEnd, 'method')) this.method = this.#first(this.method, value);
    else if (isString(bytes, nameStart, nameEnd, 'result')) this.result = this.#first(this.result, value);
    else if (isString(bytes, nameStart, nameEnd, 'error')) this.error = this.#first(this.error, value);
    else if (isString(bytes, nameStart, nameEnd, 'params')) {
      this.params = this.#first(this.params, value);
      this.#inner = inner;
    } else this.#isUnusual = true;
  }

  #first(before: Span | undefined, value: Span): Span {
    if (before !== undefined) this.#isUnusual = true;
    return value;
  }

  /**
   * To be called when all is noted: what is unusual is rare, and looked at once more, by decoded names.
   * @throws Fault `protocol` when two members have one name.
   */
  complete(): void {
    if (this.#isUnusual) this.#takeFrom(members(this.#bytes));
  }

  /**
   * The members of `params`; `undefined` where that is no object.
   * @throws Fault `protocol` when two of them have one name.
   */
  inParams(): Members | undefined {
    if (this.params === undefined || !isObject(this.#bytes, this.params.start)) return undefined;
    this.#inner ??= members(this.#bytes, this.params.start);
    this.#inner.checkUnique();
    return this.#inner;
  }

  /**
   * The members of `result`; `undefined` where that is no object. They are looked for when they are asked for.
   * @throws Fault `protocol` when two of them have one name.
   */
  inResult(): Members | undefined {
    if (this.result === undefined || !isObject(this.#bytes, this.result.start)) return undefined;
    this.#ofResult ??= members(this.#bytes, this.result.start);
    return this.#ofResult;
  }

  #takeFrom(all: Members): void {
    this.version = all.get('jsonrpc');
    this.id = all.get('id');
    this.method = all.get('method');
    this.params = all.get('params');
    this.result = all.get('result');
    this.error = all.get('error');
  }
}
