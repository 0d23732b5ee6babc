/** The most messages that are kept of one stream, and their length together in bytes; the last one is kept in any case. */
const MOST = 256;
const MOST_BYTES = 1024 * 1024;

/** A place in a stream of events: behind so many messages. */
export interface Place {
  readonly stream: number;
  readonly behind: number;
}

/**
 * The last messages of one stream of events with the ids of their events, so that a client that has lost the stream can have
 * the rest (MCP basic/transports, resumability).
 */
export class Journal {
  /** Tells it from other streams of the session. */
  readonly stream: number;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  /** How many messages there were before those that are kept. */
  #forgotten = 0;

  constructor(stream: number) {
    this.stream = stream;
  }

  /** The id of the place behind all that was sent so far. */
  get place(): string {
    return this.#id(this.#forgotten + this.#kept.length);
  }

  /** Keeps a message; the id of its event. */
  add(message: Buffer): string {
    this.#kept.push(message);
    this.#bytes += message.length;
    while (this.#kept.length > 1 && (this.#kept.length > MOST || this.#bytes > MOST_BYTES)) {
      this.#bytes -= this.#kept.shift()?.length ?? 0;
      this.#forgotten += 1;
    }
    return this.place;
  }

  /** The messages behind a place with the ids of their events; nothing where they are not all kept any more. */
  after(behind: number): (readonly [message: Buffer, id: string])[] | undefined {
    const first = behind - this.#forgotten;
    if (first < 0 || first > this.#kept.length) return undefined;
    return this.#kept.slice(first).map((message, index) => [message, this.#id(behind + index + 1)]);
  }

  #id(behind: number): string {
    return `${this.stream}-${behind}`;
  }
}

/** The place that the id of an event stands for. */
export function placeOf(id: string): Place | undefined {
  const [, stream, behind] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream: Number(stream), behind: Number(behind) };
}
