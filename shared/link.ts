import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { asFault, Fault } from './fault.js';
import { limits } from './limits.js';
import { Lines } from './lines.js';
import { log } from './log.js';
import { coalesced, joined, type Part, type Parts } from './parts.js';

/** Who takes what comes over a {@link Link}. */
export interface Receiver {
  /**
   * One message: the bytes of a JSON text, never empty, without a newline. Where the link has a stream for each request
   * sent, `on` is the id of the one on whose stream it came.
   */
  message(bytes: Buffer, on?: number | string): void;
  /**
   * No more messages come, but what is sent still goes out until {@link Link.close}. A receiver without this method
   * leaves it to the link to end then.
   */
  inputEnd?(): void;
  /** The link ended; said exactly once, and nothing comes after it. */
  end(why: Fault): void;
}

/** The request that a message belongs to. */
export interface ReplyTo {
  /** Its id, see `idKey` in jsonrpc.ts. */
  readonly id: number | string;
  /** Whether this is its answer. */
  readonly last: boolean;
}

/** A duplex connection that carries whole messages, whatever lies below it. */
export interface Link {
  /** Names the other side in errors and logs; set anew once it is known who that is. */
  name: string;
  /** Begins to deliver; what came before is delivered first. Called again, it delivers to another receiver. */
  start(receiver: Receiver): void;
  /** Sends the parts as one message. On an ended link it does nothing: the receiver has been told. */
  send(...parts: Parts): void;
  /** Sends what belongs to a request that came in; a link that has a stream for each request sends it there. */
  reply(to: ReplyTo, parts: Parts): void;
  /** Ends the link after what was sent has gone out. The receiver is told at once. */
  close(why?: Fault): void;
}

const NEWLINE = Buffer.from('\n');

/** What all links share: the receiver is told of the end once, and nothing is delivered after it. */
export abstract class BaseLink implements Link {
  name: string;
  #receiver: Receiver | undefined;
  #isOpen = false;
  #ended: Fault | undefined;

  constructor(name: string) {
    this.name = name;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#ended !== undefined) receiver.end(this.#ended);
    else if (!this.#isOpen) {
      this.#isOpen = true;
      this.open();
    }
  }

  send(...parts: Parts): void {
    if (this.#ended === undefined) this.write(parts);
  }

  reply(to: ReplyTo, parts: Parts): void {
    if (this.#ended === undefined) this.writeReply(to, parts);
  }

  close(why: Fault = new Fault('gone', `${this.name} was closed`)): void {
    this.ended(why);
  }

  protected deliver(bytes: Buffer, on?: number | string): void {
    if (this.#ended === undefined) this.#receiver?.message(bytes, on);
  }

  /** Tells a receiver that wants to know that nothing more will come; whether there was one. */
  protected inputEnd(): boolean {
    if (this.#receiver?.inputEnd === undefined) return false;
    if (this.#ended === undefined) this.#receiver.inputEnd();
    return true;
  }

  protected ended(why: Fault): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.shut();
    this.#receiver?.end(why);
  }

  /**
   * Gives up a peer that does not read, when more than `limits.unsent` bytes wait for it. `drop` lets go of them: ending in
   * order would wait for it, too.
   */
  protected checkUnsent(bytes: number, drop: () => void): void {
    if (bytes <= limits.unsent) return;
    const why = new Fault('gone', `${this.name} does not read: more than ${limits.unsent} bytes wait for it`);
    log.warn(`${why.message}; the connection is ended`);
    this.ended(why);
    drop();
  }

  /** Begins to read. */
  protected abstract open(): void;
  /** Writes one message. */
  protected abstract write(parts: Parts): void;
  /** Writes one message that belongs to a request; most links have one way only. */
  protected writeReply(_: ReplyTo, parts: Parts): void {
    this.write(parts);
  }

  /** Lets go of what lies below; called once. */
  protected abstract shut(): void;
}

export interface StreamLinkOptions {
  /** Bytes of the longest message accepted. */
  readonly maxLine?: number;
  /** Called when the link is started. */
  readonly onStart?: () => void;
  /** Decides what to do when a stream ends or fails; without it the link ends then. May be called more than once. */
  readonly onLoss?: (why: Fault) => void;
}

/** Links that have something to write at the end of the turn: of what is read in one chunk, or of this microtask. */
class Outbox {
  #links: StreamLink[] = [];
  #held = false;

  add(link: StreamLink): void {
    this.#links.push(link);
    if (!this.#held && this.#links.length === 1) queueMicrotask(() => this.#flush());
  }

  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#flush();
  }

  #flush(): void {
    if (this.#links.length === 0) return;
    const links = this.#links;
    this.#links = [];
    for (const link of links) link.flush();
  }
}

const outbox = new Outbox();

class StreamLink extends BaseLink {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines: Lines;
  readonly #deliver = (line: Buffer): void => this.deliver(line);
  #unsent: Part[] = [];
  readonly #onStart: () => void;
  readonly #onLoss: (why: Fault) => void;

  constructor(name: string, input: Readable, output: Writable, options: StreamLinkOptions) {
    super(name);
    this.#input = input;
    this.#output = output;
    this.#lines = new Lines(options.maxLine);
    this.#onStart = options.onStart ?? (() => undefined);
    this.#onLoss = options.onLoss ?? ((why) => this.ended(why));
    if (output instanceof Socket) output.setNoDelay();
    output.on('error', (error) => this.#onLoss(lost(this.name, error)));
    input.on('error', (error) => this.#onLoss(lost(this.name, error)));
  }

  protected override open(): void {
    this.#onStart();
    this.#input.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#input.once('end', () => this.#inputEnded());
    this.#input.once('close', () => {
      const halfClosed = this.#input.readableEnded && this.#input !== (this.#output as unknown);
      if (!halfClosed) this.#onLoss(new Fault('gone', `${this.name} went away`));
    });
    this.#input.resume();
  }

  /** What is sent in one turn goes out in one write. */
  protected override write(parts: Parts): void {
    if (this.#unsent.length === 0) outbox.add(this);
    for (const part of parts) this.#unsent.push(part);
    this.#unsent.push(NEWLINE);
  }

  /** Hands on what was sent, in one write. */
  flush(): void {
    const parts = this.#unsent;
    if (parts.length === 0) return;
    this.#unsent = [];
    const pieces = coalesced(parts);
    if (pieces.length > 1) this.#output.cork();
    for (const piece of pieces) this.#output.write(piece);
    if (pieces.length > 1) this.#output.uncork();
    this.checkUnsent(this.#output.writableLength, () => this.#output.destroy());
  }

  protected override shut(): void {
    this.flush();
    if (this.#output instanceof Socket) this.#output.destroySoon();
    else this.#output.end();
  }

  #inputEnded(): void {
    if (!this.inputEnd()) this.#onLoss(new Fault('gone', `${this.name} closed the connection`));
  }

  #read(chunk: Buffer): void {
    outbox.hold();
    try {
      this.#lines.push(chunk, this.#deliver);
    } catch (error) {
      this.ended(asFault(error));
    } finally {
      outbox.release();
    }
  }
}

/** Newline-delimited messages over a pair of byte streams: a process, a TCP or a unix socket. */
export function streamLink(name: string, input: Readable, output: Writable, options: StreamLinkOptions = {}): Link {
  return new StreamLink(name, input, output, options);
}

class MemoryLink extends BaseLink {
  #other: MemoryLink | undefined;
  #early: Buffer[] | undefined = [];

  join(other: MemoryLink): void {
    this.#other = other;
  }

  take(bytes: Buffer): void {
    if (this.#early === undefined) this.deliver(bytes);
    else this.#early.push(bytes);
  }

  protected override open(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const bytes of early) this.deliver(bytes);
  }

  protected override write(parts: Parts): void {
    const bytes = joined(parts);
    setImmediate(() => this.#other?.take(bytes));
  }

  protected override shut(): void {
    const other = this.#other;
    setImmediate(() => other?.ended(new Fault('gone', `${other.name} closed the connection`)));
  }
}

/** Two ends of one connection inside this process; messages arrive in order, in a later turn of the event loop. */
export function memoryLinks(names: readonly [string, string] = ['left', 'right']): [Link, Link] {
  const left = new MemoryLink(names[1]);
  const right = new MemoryLink(names[0]);
  left.join(right);
  right.join(left);
  return [left, right];
}

function lost(name: string, error: Error): Fault {
  return new Fault('gone', `the connection to ${name} was lost: ${error.message}`, { cause: error });
}
