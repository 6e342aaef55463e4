import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import {
  type ArtifactEnd,
  type ArtifactPiece,
  type ArtifactUploads,
  type FoundArtifacts,
  MAX_PIECE_BYTES,
  PIECE_HEADERS_HEADER,
  UPLOADS_HEADER,
  UPLOADS_PIECES,
} from '@svc/core/artifact/upload';
import { Backoff } from '@svc/core/backoff';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { proxyFor } from '../connection/proxy.ts';
import type { Timers } from '../timers.ts';

export interface HubFilesOptions {
  /** The URL of the hub, `http:` or `https:`. */
  readonly baseUrl: URL;
  readonly token: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timers: Timers;
  /** Uniform from 0 up to 1. */
  readonly random: () => number;
  /** Ends every request and every wait. */
  readonly stop: AbortSignal;
}

/** The hub does not take an upload: it refuses it, or has not answered for too long. The message is for people. */
export class UploadFailed extends Error {}

/** The upload of what one execution left. */
export interface UploadSession {
  readonly executionId: string;
  /** Ends its requests with the reason of the signal. */
  readonly cancelled: AbortSignal;
  /** When the hub last answered, or else when the upload began. */
  answeredMs: number;
}

/** A request without an answer for so long is sent again. */
const ANSWER_MS = 60_000;
const WAITS = { firstMs: LINK_LIMITS.reconnectFirstMs, longestMs: LINK_LIMITS.reconnectMostMs };
const NOT_FOUND = 404;
const CONFLICT = 409;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

const SENDS = { [UPLOADS_HEADER]: UPLOADS_PIECES, [PIECE_HEADERS_HEADER]: 'yes' };

function isPieceSize(bytes: number): boolean {
  return Number.isInteger(bytes) && bytes >= 1 && bytes <= MAX_PIECE_BYTES;
}

type Answer =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'conflict' }
  /** A later attempt may succeed. */
  | { readonly kind: 'retry'; readonly reason: string };

/**
 * The HTTP routes of the hub for the files of executions (decision 72, artifacts). Each request is repeated until it is answered.
 * Throws `UploadFailed` for one that is refused, and for an upload that has no answer for `ARTIFACT_LIMITS.giveUpMs`.
 */
export class HubFiles {
  readonly #options: HubFilesOptions;
  /** When the hub last answered any upload. */
  #answeredMs = Number.NEGATIVE_INFINITY;

  constructor(options: HubFilesOptions) {
    this.#options = options;
  }

  begin(executionId: string, cancelled: AbortSignal): UploadSession {
    return { executionId, cancelled, answeredMs: this.#options.timers.nowMs() };
  }

  /** While an upload waited for its turn, the hub may have answered others, and this one had nothing to ask. */
  waited(upload: UploadSession): void {
    upload.answeredMs = Math.max(upload.answeredMs, this.#answeredMs);
  }

  async announce(upload: UploadSession, found: FoundArtifacts): Promise<ArtifactUploads> {
    const answer = await this.#send(upload, this.#toHub(upload, '', json(found, SENDS)));
    if (answer.kind !== 'done') throw new UploadFailed('the hub refuses the list of files');
    const answered = answer.body as ArtifactUploads;
    if (answered.uploads.every(({ piece_bytes: bytes }) => bytes === undefined || isPieceSize(bytes)))
      return answered;
    throw new UploadFailed('the hub sent a size of pieces that no file can be sent in');
  }

  /** Sends bytes that begin at `offset`. False if the hub has another number of bytes: then ask what it has. */
  async append(
    upload: UploadSession,
    index: number,
    offset: number,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<boolean> {
    const headers = { 'Content-Type': 'application/octet-stream' };
    const init = { method: 'PUT', headers, body };
    return (
      (await this.#send(upload, this.#toHub(upload, `/${index}?offset=${offset}`, init))).kind === 'done'
    );
  }

  /** Sends a piece to the object store of the hub, to a URL that the hub signs. False if the hub expects another piece. */
  async sendPiece(
    upload: UploadSession,
    index: number,
    offset: number,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<boolean> {
    const ask = this.#toHub(upload, `/${index}?offset=${offset}`, { method: 'GET' });
    // A URL expires, so each attempt asks for a new one. The answer of the hub alone is no progress.
    const attempt = async (stop: AbortSignal): Promise<Answer> => {
      const asked = await ask(stop);
      if (asked.kind !== 'done') return asked;
      const piece = asked.body as ArtifactPiece;
      return await this.#put(storeUrl(piece), { body, headers: storeHeaders(piece) }, stop);
    };
    return (await this.#send(upload, attempt)).kind === 'done';
  }

  /** False if the bytes that the hub has are others: it has dropped them. */
  async end(upload: UploadSession, index: number, end: ArtifactEnd): Promise<boolean> {
    return (await this.#send(upload, this.#toHub(upload, `/${index}`, json(end)))).kind === 'done';
  }

  async #send(
    upload: UploadSession,
    attempt: (stop: AbortSignal) => Promise<Answer>,
  ): Promise<Exclude<Answer, { kind: 'retry' }>> {
    const { timers, random } = this.#options;
    const stop = AbortSignal.any([this.#options.stop, upload.cancelled]);
    const backoff = new Backoff(WAITS, (windowMs) => random() * windowMs);
    const untilMs = upload.answeredMs + ARTIFACT_LIMITS.giveUpMs;
    for (;;) {
      const answer = await attempt(stop);
      stop.throwIfAborted();
      if (answer.kind !== 'retry') {
        this.#answeredMs = timers.nowMs();
        upload.answeredMs = this.#answeredMs;
        return answer;
      }
      const waitMs = backoff.nextMs();
      if (timers.nowMs() + waitMs > untilMs) throw new UploadFailed(answer.reason);
      await this.#wait(waitMs, stop);
      stop.throwIfAborted();
    }
  }

  #toHub({ executionId }: UploadSession, path: string, init: RequestInit) {
    const { baseUrl, token } = this.#options;
    const route = `${baseUrl.pathname.replace(/\/$/, '')}/agents/artifacts/${executionId}${path}`;
    const headers = { ...(init.headers as Record<string, string>), Authorization: `Bearer ${token}` };
    return (stop: AbortSignal) =>
      this.#try(new URL(route, baseUrl), { ...init, headers }, stop, ['hub', answerOf]);
  }

  /** Without the token, which is for the hub only. */
  #put(url: URL, init: RequestInit, stop: AbortSignal): Promise<Answer> {
    const read = async ({ ok, status }: Response): Promise<Answer> =>
      ok
        ? { kind: 'done', body: undefined }
        : { kind: 'retry', reason: `the object store answered ${status}` };
    return this.#try(url, { ...init, method: 'PUT' }, stop, ['object store', read]);
  }

  async #try(
    url: URL,
    init: RequestInit,
    stop: AbortSignal,
    [receiver, read]: readonly ['hub' | 'object store', (response: Response) => Promise<Answer>],
  ): Promise<Answer> {
    const proxy = proxyFor(url, this.#options.environment);
    try {
      const response = await fetch(url, {
        ...init,
        ...(proxy === undefined ? {} : { proxy }),
        signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]),
        redirect: 'error',
      });
      return await read(response);
    } catch (error) {
      if (error instanceof UploadFailed) throw error;
      return { kind: 'retry', reason: `the ${receiver} could not be reached` };
    }
  }

  /** Ends early when the signal stops it. */
  async #wait(ms: number, stop: AbortSignal): Promise<void> {
    const { timers } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const withdraw = timers.after(ms, resolve);
    const stopWaiting = () => resolve();
    stop.addEventListener('abort', stopWaiting);
    await promise;
    stop.removeEventListener('abort', stopWaiting);
    withdraw();
  }
}

/** Only HTTP: the client also takes `s3:`, with the credentials of this machine, and `file:`. */
function storeUrl({ url }: ArtifactPiece): URL {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new UploadFailed('the hub sent no address of an object store');
  return parsed;
}

/** Only those of the protocol of S3, such as the key of the piece. */
function storeHeaders({ headers = {} }: ArtifactPiece): Readonly<Record<string, string>> {
  if (Object.keys(headers).every((name) => name.startsWith('x-amz-'))) return headers;
  throw new UploadFailed('the hub sent headers that no object store needs');
}

/** The texts with which a hub of the version before refuses an upload; its code, `not_found`, is also that of an unknown route. */
const REFUSED_BEFORE: ReadonlySet<string> = new Set([
  'no execution of this agent is open under this id',
  'there is no such artifact',
]);

async function answerOf(response: Response): Promise<Answer> {
  // A proxy answers with a page, which is no JSON.
  const body: unknown = await response.json().catch(() => undefined);
  const { status } = response;
  if (response.ok && body !== undefined) return { kind: 'done', body };
  if (status === CONFLICT) return { kind: 'conflict' };
  const { error, code } = (body ?? {}) as { readonly error?: unknown; readonly code?: unknown };
  const said = typeof error === 'string' ? error : 'no reason';
  const reason = `the hub answered ${status}: ${said}`;
  const isLater = response.ok || status === TOO_MANY || status >= SERVER_ERROR;
  // A proxy without a hub, or a hub of an earlier version, has no such route, and the next request may reach another hub.
  const isUnknownRoute = status === NOT_FOUND && code !== 'execution_not_open' && !REFUSED_BEFORE.has(said);
  if (isLater || isUnknownRoute) return { kind: 'retry', reason };
  throw new UploadFailed(reason);
}

function json(body: FoundArtifacts | ArtifactEnd, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
