import { Session } from './session.js';

/** A session in which nothing is open ends after this time, in milliseconds. */
const IDLE = 600_000;
const MOST = 256;

/** The sessions of the clients that speak over HTTP, by id. */
export class Sessions {
  readonly #byId = new Map<string, Session>();
  readonly #sweep = setInterval(() => this.#endIdle(Date.now() - IDLE), IDLE / 10).unref();

  get(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  /** Begins one; where there are too many, the one that was idle longest ends. */
  begin(): Session {
    if (this.#byId.size >= MOST) this.#endOldest();
    const session = new Session(({ id }) => this.#byId.delete(id));
    this.#byId.set(session.id, session);
    return session;
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#byId.values()) session.close();
  }

  #endIdle(before: number): void {
    for (const session of this.#byId.values()) if (!session.isBusy && session.lastUsed < before) session.close();
  }

  #endOldest(): void {
    const [oldest] = [...this.#byId.values()].sort(
      (a, b) => Number(a.isBusy) - Number(b.isBusy) || a.lastUsed - b.lastUsed,
    );
    oldest?.close();
  }
}
