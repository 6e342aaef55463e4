import { type ApiError, apiErrorOf, ConnectionError, SvcError } from './errors.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Where the API answers, such as `https://svc.example.com`. */
  readonly baseUrl: string;
  /** `svc_sk_…`, for calls. Public endpoints need none. */
  readonly apiKey?: string;
  /** `svc_pat_…` of a member, instead of a key. */
  readonly accessToken?: string;
  /** The owner of endpoints that are named without one. */
  readonly username?: string;
  /** How often a request is tried again after a failure that may pass. Default: 5. */
  readonly maxRetries?: number;
  /** Instead of the `fetch` of the runtime, for proxies and tests. */
  readonly fetch?: Fetch;
}

export interface ServiceRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** No stream: a request may be sent again. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_RETRIES = 5;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
/** The service asks for a longer pause only when a quota is used up. A retry would fail until the next period begins. */
const MAX_RETRY_AFTER_SEC = 60;
const PERMANENT_REDIRECT = 308;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, PERMANENT_REDIRECT];

/** Sends requests to one service with one credential, and to no other server. */
export class Transport {
  readonly username: string | undefined;
  readonly maxRetries: number;
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #credential: Readonly<Record<string, string>>;

  constructor(options: ClientOptions) {
    // Throws for something that is no URL.
    this.#base = new URL(options.baseUrl).href.replace(/\/+$/, '');
    this.username = options.username;
    this.maxRetries = options.maxRetries ?? DEFAULT_RETRIES;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#credential =
      options.apiKey !== undefined
        ? { 'X-API-Key': options.apiKey }
        : options.accessToken !== undefined
          ? { Authorization: `Bearer ${options.accessToken}` }
          : {};
  }

  get hasCredential(): boolean {
    return Object.keys(this.#credential).length > 0;
  }

  /**
   * One request, with any answer. The service redirects from a former username to the present one: this is followed once, and only at the
   * same server. Throws a `ConnectionError` without an answer, and a `SvcError` for any other redirect.
   */
  async ask(path: string, request: ServiceRequest): Promise<Response> {
    const url = this.#base + path;
    const answer = await this.#send(url, request);
    if (!isRedirect(answer)) return answer;
    const target = targetOf(url, answer);
    await answer.body?.cancel();
    const followed = await this.#send(target, request);
    if (isRedirect(followed)) throw new SvcError(`${url} redirects to ${target}, which redirects again`);
    return followed;
  }

  async #send(url: string, { method = 'GET', headers, body, signal }: ServiceRequest): Promise<Response> {
    try {
      return await this.#fetch(url, {
        method,
        headers: { ...this.#credential, ...headers },
        // `fetch` would take the key to another server.
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(`${method} ${url} failed: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The JSON of an answer, tried again while the failure may pass: only for requests that may arrive twice. */
  async json<Answer>(path: string, request: ServiceRequest = {}): Promise<Answer> {
    return await this.retried(request.signal, async () => {
      const response = await this.ask(path, {
        ...request,
        headers: { Accept: 'application/json', ...request.headers },
      });
      if (!response.ok) throw await apiErrorOf(response);
      try {
        return (await response.json()) as Answer;
      } catch (error) {
        request.signal?.throwIfAborted();
        // A page of a proxy, or an answer that broke off.
        throw new ConnectionError(`the answer of ${path} is no whole JSON`, { cause: error });
      }
    });
  }

  /** Runs an attempt again while it fails in a way that may pass. */
  async retried<Result>(signal: AbortSignal | undefined, attempt: () => Promise<Result>): Promise<Result> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (failures >= this.maxRetries) throw error;
        await this.pauseAfter(error, failures, signal);
      }
    }
  }

  /** Waits before the next attempt. Throws an error after which there is none. */
  async pauseAfter(error: unknown, failures: number, signal: AbortSignal | undefined): Promise<void> {
    if (!mayPass(error)) throw error;
    const asked = (error as Partial<ApiError>).retryAfterSec;
    // A random part of the pause spreads the next attempts of callers that failed at the same moment.
    const own = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
    await pause(asked === undefined ? own : asked * 1000, signal);
  }
}

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || REDIRECTS.includes(status);
}

/** Where a redirect leads that may be followed with the key. Throws a `SvcError` for another one. */
function targetOf(url: string, { status, type, headers }: Response): string {
  if (type === 'opaqueredirect')
    throw new SvcError(`${url} redirects, and a browser does not say where: use the present username`);
  const { origin } = new URL(url);
  const location = headers.get('location') ?? '';
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (status !== PERMANENT_REDIRECT || target?.origin !== origin)
    throw new SvcError(`${url} redirects to "${location}" with ${status}: only 308 at ${origin} is followed`);
  return origin + target.pathname + target.search;
}

function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  const { status, code, retryAfterSec = 0 } = error as Partial<ApiError>;
  // Without a credential the first execution cannot be followed.
  if (code === 'idempotency_in_progress') return true;
  if (status === 429) return code !== 'quota_exceeded' && retryAfterSec <= MAX_RETRY_AFTER_SEC;
  // Without a code the answer comes from a proxy in front of the service.
  return status === 503 || ((status === 502 || status === 504) && code === 'unknown');
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
