import type { AcceptedExecution, AcceptedRun, CallResult, PendingCall, RunResult } from './api-types.ts';
import { ApiError, ApprovalPending, apiErrorOf, ConnectionError } from './errors.ts';
import type { ServiceRequest, Transport } from './transport.ts';

/** The values of a call by the names of the arguments. */
export type Values = Readonly<Record<string, unknown>>;

export interface CallOptions {
  /** Ends the wait. The execution continues; `cancel` stops it. */
  readonly signal?: AbortSignal;
  /** Two calls with one key run the command once. Default: a new one for each call. */
  readonly idempotencyKey?: string;
  /** What the command reads from standard input, for an endpoint with `stdin: body`. */
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  /** Gets an approval that the call waits for. Without it, such a call throws `ApprovalPending`. */
  readonly onApproval?: (approval: PendingCall) => void;
}

/** What the service answers to an accepted call. */
export type Started = AcceptedExecution | AcceptedRun;
export type Answered =
  | { readonly kind: 'result'; readonly result: CallResult | RunResult }
  | { readonly kind: 'started'; readonly streamPath: string; readonly started: Started };

/**
 * A call that may be sent again: each request has the same `Idempotency-Key`, so the command runs once. The answer to a
 * repetition shows how far the first request came.
 */
export class CallRequest {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #values: Values;
  readonly #options: CallOptions;
  readonly #key: string;
  #method: 'POST' | 'GET' = 'POST';
  #knownApproval: string | undefined;

  constructor(transport: Transport, target: string, values: Values, options: CallOptions) {
    this.#transport = transport;
    this.#path = callPath(target, transport.username);
    this.#values = values;
    this.#options = options;
    this.#key = options.idempotencyKey ?? crypto.randomUUID();
  }

  /** Sends the call until it is accepted or refused. With `respond-async` the answer comes before the result. */
  async send(prefer: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const { signal } = this.#options;
    return await this.#transport.retried(signal, async () => {
      const response = await this.#ask(prefer);
      if (response.ok) return await this.#answered(response);
      const refused = await apiErrorOf(response);
      const earlier =
        refused.code === 'idempotency_in_progress' && this.#transport.hasCredential
          ? startedBefore(refused)
          : undefined;
      if (earlier === undefined) throw refused;
      return earlier;
    });
  }

  async #ask(prefer: Readonly<Record<string, string>>): Promise<Response> {
    const response = await this.#transport.ask(...(await this.#request(prefer)));
    // A refused method has run nothing.
    if (response.status !== 405 || this.#method === 'GET' || response.headers.get('allow') !== 'GET')
      return response;
    this.#method = 'GET';
    return await this.#transport.ask(...(await this.#request(prefer)));
  }

  async #request(prefer: Readonly<Record<string, string>>): Promise<readonly [string, ServiceRequest]> {
    const { signal, stdin } = this.#options;
    const headers = { Accept: 'application/json', 'Idempotency-Key': this.#key, ...prefer };
    if (stdin !== undefined) {
      const body = typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin;
      const more = { 'Content-Type': 'application/octet-stream', 'Content-Digest': await digestOf(body) };
      return [
        this.#path + queryOf(this.#values),
        { method: 'POST', headers: { ...headers, ...more }, body, signal },
      ];
    }
    if (this.#method === 'GET') return [this.#path + queryOf(this.#values), { headers, signal }];
    const json = { ...headers, 'Content-Type': 'application/json' };
    return [this.#path, { method: 'POST', headers: json, body: JSON.stringify(this.#values), signal }];
  }

  async #answered(response: Response): Promise<Answered> {
    let body: unknown;
    try {
      body = await response.json();
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      // The answer broke off. The next attempt gets it again.
      throw new ConnectionError(`the answer of ${this.#path} is not complete`, { cause: error });
    }
    if (response.status !== 202) return { kind: 'result', result: body as CallResult | RunResult };
    const pending = body as Partial<PendingCall>;
    if (pending.status === 'pending_approval') this.#reportApproval(pending as PendingCall);
    const started = body as Started & Partial<PendingCall>;
    const path = streamPathOf(started);
    if (path === undefined)
      throw new ApiError(pending.message ?? 'the call started nothing', {
        status: response.status,
        code: 'ignored',
        details: {},
      });
    return { kind: 'started', streamPath: path, started };
  }

  #reportApproval(approval: PendingCall): void {
    const { onApproval } = this.#options;
    if (onApproval === undefined) throw new ApprovalPending(approval);
    if (this.#knownApproval === approval.approval_id) return;
    this.#knownApproval = approval.approval_id;
    onApproval(approval);
  }
}

/** `ada/hello`, or `hello` of the client's own username. */
function callPath(target: string, username: string | undefined): string {
  const parts = (target.includes('/') ? target : `${username ?? ''}/${target}`).split('/');
  const [owner = '', slug = ''] = parts;
  if (parts.length !== 2 || owner === '' || slug === '')
    throw new TypeError(`endpoint "${target}": write username/name, or give the client a username`);
  return `/v1/${encodeURIComponent(owner)}/${encodeURIComponent(slug)}`;
}

/** The execution or run that a refused repetition names. */
function startedBefore({ executionId, runId }: ApiError): Answered | undefined {
  const ids = { execution_id: executionId, run_id: runId };
  const streamPath = streamPathOf(ids);
  if (streamPath === undefined) return undefined;
  const links = { status_url: streamPath.replace(/\/stream$/, ''), stream_url: streamPath };
  return { kind: 'started', streamPath, started: { ...ids, status: 'running', ...links } as Started };
}

interface StreamIds {
  readonly execution_id?: string | undefined;
  readonly run_id?: string | undefined;
  readonly stream_url?: string | undefined;
}

/**
 * The path of a stream. The service may know itself by another address than the caller, so only the read token of its URL is
 * used.
 */
export function streamPathOf({
  execution_id: id,
  run_id: runId,
  stream_url: url,
}: StreamIds): string | undefined {
  const query = url?.includes('?') ? url.slice(url.indexOf('?')) : '';
  if (runId !== undefined) return `/pipeline-runs/${encodeURIComponent(runId)}/stream${query}`;
  return id === undefined ? undefined : `/executions/${encodeURIComponent(id)}/stream${query}`;
}

/** The values in a query, where everything is text; a list becomes its items. */
export function queryOf(values: Values): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'object' && item !== null)
        throw new TypeError(`${name}: a query has only text values`);
      query.append(name, String(item));
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** RFC 9530: the service compares repetitions by it before it reads the body. */
async function digestOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}
