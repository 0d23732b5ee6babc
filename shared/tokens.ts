import { lstatSync, watch } from 'node:fs';
import { asFault } from './fault.js';
import { log } from './log.js';
import { configDirectory } from './paths.js';
import { masterSecret, readSecrets, type Secrets, secretPath } from './secret.js';
import { derivedToken, type Program } from './token.js';

/**
 * The tokens that a listener accepts: those it was given, or those derived from the master secret. The latter follow a
 * rotation while the program runs: it is noticed before the next connection is judged, and soon without one.
 */
export class Tokens {
  readonly #given: readonly string[];
  readonly #derive: ((secret: Buffer) => string) | undefined;
  #derived: readonly Derived[] = [];
  #state = '';
  #changed: () => void = () => undefined;

  private constructor(given: readonly string[], derive?: (secret: Buffer) => string) {
    this.#given = given;
    this.#derive = derive;
    for (const token of given) log.hide(token);
  }

  /** Those that were given and no others. */
  static given(tokens: readonly string[]): Tokens {
    return new Tokens(tokens);
  }

  /** Those that were given, or else those of the program with this name. @throws Fault as {@link masterSecret}. */
  static async of(given: readonly string[], program: Program, name: string): Promise<Tokens> {
    if (given.length > 0) return Tokens.given(given);
    const tokens = new Tokens([], (secret) => derivedToken(secret, program, name));
    tokens.#take(await masterSecret());
    return tokens;
  }

  /** All that are accepted now; the first is the one to tell a client. */
  accepted(): readonly string[] {
    if (this.#derive === undefined) return this.#given;
    this.#look();
    const now = Date.now();
    return this.#derived.filter(({ until }) => until > now).map(({ token }) => token);
  }

  /** The one to tell a client. */
  get newest(): string {
    return this.accepted()[0] ?? '';
  }

  /** From now on calls this after each rotation; returns what ends that. */
  follow(changed: () => void): () => void {
    if (this.#derive === undefined) return () => undefined;
    this.#changed = changed;
    try {
      // Where the system reports no changes, the next connection finds it out.
      const watcher = watch(configDirectory(), { persistent: false }, () => this.#look());
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => undefined;
    }
  }

  /** What cannot be read changes nothing: the tokens stay those that are known. */
  #look(): void {
    try {
      const state = stateOf();
      if (state === this.#state) return;
      this.#state = state;
      const secrets = readSecrets(secretPath());
      if (secrets !== undefined && this.#take(secrets)) this.#changed();
    } catch (error) {
      log.warnOnce(`the tokens stay as they are: ${asFault(error).text}`);
    }
  }

  /** Whether the newest is another one now. */
  #take({ current, earlier }: Secrets): boolean {
    const before = this.#derived[0]?.token;
    const secrets = [{ secret: current, until: Number.POSITIVE_INFINITY }, ...earlier];
    this.#derived = secrets.map(({ secret, until }) => ({ token: this.#derive?.(secret) ?? '', until }));
    for (const { token } of this.#derived) log.hide(token);
    return this.#derived[0]?.token !== before;
  }
}

interface Derived {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Differs when the file is another one, as it is after each rotation. */
function stateOf(): string {
  const found = lstatSync(secretPath(), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'none' : [found.dev, found.ino, found.mtimeNs, found.size, found.mode].join();
}
