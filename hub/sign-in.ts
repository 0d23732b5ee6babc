import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isStrictScopeSuperset,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { type Callback, listenForCallback } from './callback.js';
import type { Credentials, Kept } from './credentials.js';
import { HUB_INFO } from './protocol.js';

/** How the hub is known to an authorization server, where it may not introduce itself. */
export interface OAuthClient {
  readonly id?: string | undefined;
  readonly secret?: string | undefined;
  /** The address of a document that describes it (client ID metadata document). */
  readonly document?: string | undefined;
}

/** Milliseconds for the person to sign in, and those in which what needs it waits for that. */
const PATIENCE = 300_000;
const WAIT = 45_000;
/** Milliseconds after which a person who did not sign in is asked again. */
const PAUSE = 900_000;

/** What is under way for each server, so that the person is asked once. */
const underway = new Map<string, SignIn>();

/**
 * Gets a token for a server that refused a request: by the refresh token that is kept, else by the person's browser.
 * @throws Fault `denied` where that did not come to be, or not yet.
 */
export async function signIn(
  name: string,
  url: URL,
  response: IncomingMessage,
  credentials: Credentials,
  client: OAuthClient,
): Promise<void> {
  const known = underway.get(url.href);
  const attempt = known ?? new SignIn(name, url, response, credentials, client);
  if (known === undefined) {
    underway.set(url.href, attempt);
    attempt.done.then(
      () => underway.delete(url.href),
      () => setTimeout(() => underway.delete(url.href), attempt.wasShown ? PAUSE : 0).unref(),
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(attempt.notYet()), WAIT).unref();
  });
  try {
    await Promise.race([attempt.done, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One attempt, as the SDK sees it; OAuth 2.1 with PKCE, as MCP has it (basic/authorization). */
class SignIn implements OAuthClientProvider {
  readonly done: Promise<void>;
  readonly clientMetadataUrl?: string;
  readonly #name: string;
  readonly #url: URL;
  readonly #credentials: Credentials;
  readonly #client: OAuthClient;
  readonly #state = randomBytes(16).toString('base64url');
  #callback: Callback | undefined;
  #kept: Kept = {};
  /** Looked up for each attempt: a server may have moved to another authorization server. */
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';
  #page: URL | undefined;

  constructor(name: string, url: URL, response: IncomingMessage, credentials: Credentials, client: OAuthClient) {
    this.#name = name;
    this.#url = url;
    this.#credentials = credentials;
    this.#client = client;
    if (client.document !== undefined) this.clientMetadataUrl = client.document;
    this.done = this.#run(response);
  }

  /** Whether the person was asked. */
  get wasShown(): boolean {
    return this.#page !== undefined;
  }

  get redirectUrl(): string {
    return `http://127.0.0.1:${this.#callback?.port ?? 0}/callback`;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: HUB_INFO.title,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: this.#client.secret === undefined ? 'none' : 'client_secret_post',
      application_type: 'native',
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { id, secret } = this.#client;
    if (id !== undefined && context !== undefined) this.#refuseOther(id, context.issuer);
    if (id !== undefined) return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
    return context === undefined ? undefined : this.#kept.clients?.[context.issuer];
  }

  async saveClientInformation(
    information: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    if (context === undefined || this.#client.id !== undefined) return;
    await this.#keep({ clients: { ...this.#kept.clients, [context.issuer]: information } });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#kept.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Promise<void> {
    const { id } = this.#client;
    const isBound = id !== undefined && context !== undefined;
    await this.#keep({ tokens, ...(isBound ? { bound: { id, issuer: context.issuer } } : {}) });
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const isAll = scope === 'all';
    if (isAll || scope === 'verifier') this.#verifier = '';
    if (isAll || scope === 'discovery') this.#discovery = undefined;
    if (isAll || scope === 'client') await this.#forget('clients');
    if (isAll || scope === 'tokens') await this.#forget('tokens');
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    if (!/^https?:$/.test(page.protocol)) throw new Fault('denied', `${this.#name} wants a page of ${page.protocol}`);
    this.#page = page;
    await this.#keep({ asked: { scope: page.searchParams.get('scope') ?? '', at: Date.now() } });
    log.warn(`${this.#name} wants you to sign in: ${page.href}`);
    const { default: open } = await import('open');
    await open(page.href).catch((error: unknown) => log.warn(`no browser was opened: ${asFault(error).message}`));
  }

  /** For what does not wait any longer. */
  notYet(): Fault {
    const where = this.#page === undefined ? '' : ` at ${this.#page.href}`;
    return new Fault('denied', `${this.#name} waits until you have signed in${where}`, {
      next: 'Sign in with a browser on this machine, then call again.',
    });
  }

  async #run(response: IncomingMessage): Promise<void> {
    this.#kept = await this.#credentials.read();
    const { resourceMetadataUrl, scope: wanted, error } = challengeOf(response);
    const wantsMore = error === 'insufficient_scope';
    const scope = wantsMore ? this.#wider(wanted) : wanted;
    const about = {
      serverUrl: this.#url,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
      ...(wantsMore ? { forceReauthorization: true } : {}),
    };
    const callback = await listenForCallback(this.#kept.port, this.#state);
    this.#callback = callback;
    try {
      // A client that was registered with another address to return to would be refused.
      if (callback.port !== this.#kept.port) await this.#forget('clients');
      await this.#keep({ port: callback.port });
      if ((await auth(this, about)) === 'AUTHORIZED') return;
      const { code, iss } = await callback.answer(PATIENCE);
      await auth(this, { ...about, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
      log.info(`signed in to ${this.#name}`);
    } finally {
      callback.close();
    }
  }

  /**
   * What was asked for and granted before, and what is wanted beside it.
   * @throws Fault `denied` where the person was asked for all of that just now: they need not see the page for each call.
   */
  #wider(wanted: string | undefined): string | undefined {
    const { asked, tokens } = this.#kept;
    const scope = computeScopeUnion(asked?.scope, tokens?.scope, wanted);
    if (asked !== undefined && Date.now() - asked.at < PAUSE && !isStrictScopeSuperset(scope, asked.scope))
      throw new Fault('denied', `${this.#name} wants more permission than you could give (${scope ?? 'of no name'})`, {
        next: 'Ask whoever runs it for that permission; in a quarter of an hour you can sign in again.',
      });
    return scope;
  }

  #refuseOther(id: string, issuer: string): void {
    const { bound } = this.#kept;
    if (bound === undefined || bound.id !== id || bound.issuer === issuer) return;
    throw new Fault('denied', `${this.#name} sends to ${issuer} now, but ${id} is known at ${bound.issuer}`, {
      next: `If the server has moved, give the --oauth-id of the new place, or remove ${this.#credentials.path}.`,
    });
  }

  async #keep(more: Kept): Promise<void> {
    this.#kept = { ...this.#kept, ...more };
    await this.#credentials.add(more);
  }

  async #forget(name: keyof Kept): Promise<void> {
    const { [name]: _, ...rest } = this.#kept;
    this.#kept = rest;
    await this.#credentials.forget(name);
  }
}

function challengeOf({ headers }: IncomingMessage): ReturnType<typeof extractWWWAuthenticateParams> {
  const challenge = headers['www-authenticate'];
  return extractWWWAuthenticateParams(
    new Response(null, { status: 401, headers: challenge === undefined ? {} : { 'www-authenticate': challenge } }),
  );
}
