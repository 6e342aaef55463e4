// @svc/client: calls endpoints and pipelines of svc from Node 20, Bun and browsers. No dependencies.
import type {
  AcceptedExecution,
  AcceptedRun,
  Callable,
  CallResult,
  ExecutionEvent,
  ExecutionWithResult,
  ListedExecution,
  RunResult,
} from './api-types.ts';
import {
  type CallOptions,
  CallRequest,
  queryOf,
  type Started,
  streamPathOf,
  type Values,
} from './call-request.ts';
import { apiErrorOf, CommandFailed, ConnectionError } from './errors.ts';
import { EventDecoder } from './event-decoder.ts';
import { type ClientOptions, Transport } from './transport.ts';

export type * from './api-types.ts';
export type { CallOptions, Values } from './call-request.ts';
// biome-ignore lint/performance/noBarrelFile: the package has one entry, and it has the class that this file is about
export { ApiError, ApprovalPending, CommandFailed, ConnectionError, SvcError } from './errors.ts';
export type { ClientOptions } from './transport.ts';

/** An event and its id, from which `follow` continues. */
export type StreamEvent = ExecutionEvent & { readonly id: string };

export interface BufferedOptions extends CallOptions {
  /** Throws `CommandFailed` for another exit code than 0. */
  readonly check?: boolean;
}

export interface FollowOptions {
  /** The id of the last event that was read. */
  readonly after?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ExecutionFilter {
  readonly endpoint?: string;
  readonly status?: string;
  /** RFC 3339 times. */
  readonly from?: string;
  readonly until?: string;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** A client of one service with one credential. */
export class SvcClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * Calls an endpoint or a pipeline and waits for its result, however long it takes. The command runs once, also if
   * requests or answers are lost on the way.
   *
   * Throws an `ApiError` without a result, `ApprovalPending` if a person has to approve, and a `ConnectionError` if the
   * service stays away.
   */
  async call(
    target: string,
    values: Values = {},
    options: BufferedOptions = {},
  ): Promise<CallResult | RunResult> {
    const request = new CallRequest(this.#transport, target, values, options);
    for (;;) {
      const answer = await request.send();
      if (answer.kind === 'result') {
        if (options.check && answer.result.exit_code !== 0) throw new CommandFailed(answer.result);
        return answer.result;
      }
      // Waits for the end of the stream. The repeated request then gets the result.
      for await (const event of this.#events(answer.streamPath, options)) void event;
    }
  }

  /** Starts an endpoint or a pipeline and returns at once. `follow` reads its events, `execution` its result. */
  async start(target: string, values: Values = {}, options: CallOptions = {}): Promise<Started> {
    const request = new CallRequest(this.#transport, target, values, options);
    const answer = await request.send({ Prefer: 'respond-async' });
    if (answer.kind === 'started') return answer.started;
    return startedOf(answer.result);
  }

  /**
   * Calls an endpoint or a pipeline and yields its events as they come, the last one `done` or `error`. A broken connection
   * is resumed after the last event.
   */
  async *stream(target: string, values: Values = {}, options: CallOptions = {}): AsyncGenerator<StreamEvent> {
    const started = await this.start(target, values, options);
    yield* this.follow(started, options);
  }

  /** The events of an execution or a run until its end: of what `start` returned, or of an execution by its id. */
  async *follow(started: Started | string, options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    const path = streamPathOf(typeof started === 'string' ? { execution_id: started } : started);
    if (path === undefined) throw new TypeError('follow: an execution or a run expected');
    yield* this.#events(path, options);
  }

  /** An execution as it is now, with its result once it has ended. */
  async execution(id: string): Promise<ExecutionWithResult> {
    return await this.#transport.json(`/executions/${encodeURIComponent(id)}`);
  }

  /** The executions of this key, or of the workspace of the member; the newest first. */
  executions(filter: ExecutionFilter = {}): AsyncGenerator<ListedExecution> {
    return this.#items('/executions', { ...filter });
  }

  /** Stops the command of an execution. One that has ended stays as it is. */
  async cancel(id: string): Promise<ListedExecution> {
    return await this.#transport.json(`/executions/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
  }

  /** The endpoints and pipelines of a user that this credential may call. */
  list(username: string | undefined = this.#transport.username): AsyncGenerator<Callable> {
    if (username === undefined) throw new TypeError('list: a username expected');
    return this.#items(`/v1/${encodeURIComponent(username)}`, {});
  }

  async *#items<Item>(path: string, query: Values): AsyncGenerator<Item> {
    let cursor: string | undefined;
    do {
      const page: Page<Item> = await this.#transport.json(path + queryOf({ ...query, cursor }));
      yield* page.items;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *#events(path: string, { after, signal }: FollowOptions): AsyncGenerator<StreamEvent> {
    let last = after;
    for (let failures = 0; ; failures += 1) {
      let lost: unknown;
      try {
        const headers = {
          Accept: 'text/event-stream',
          ...(last === undefined ? {} : { 'Last-Event-ID': last }),
        };
        const response = await this.#transport.ask(path, { headers, signal });
        if (response.status === 204) return;
        if (!response.ok) throw await apiErrorOf(response);
        for await (const event of eventsOf(response)) {
          // The service is there, so the failures count from zero again, however long the command is silent.
          failures = 0;
          if (event === undefined) continue;
          if (event.id !== '') last = event.id;
          // The response ended, and not the command.
          if (event.type === 'error' && event.code === 'still_running' && event.step === undefined) break;
          yield event;
          if (event.step === undefined && (event.type === 'done' || event.type === 'error')) return;
        }
        lost = new ConnectionError('the stream ended before the command did');
      } catch (error) {
        signal?.throwIfAborted();
        lost = error;
      }
      if (failures >= this.#transport.maxRetries) throw lost;
      await this.#transport.pauseAfter(lost, failures, signal);
    }
  }
}

const KNOWN = new Set(['output', 'transformed_output', 'done', 'error']);

/** The events of a stream, and undefined for bytes that end no event, such as a comment that keeps the connection open. */
async function* eventsOf({ body, headers }: Response): AsyncGenerator<StreamEvent | undefined> {
  if (body === null) return;
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    await body.cancel().catch(() => undefined);
    throw new ConnectionError('the answer is no event stream');
  }
  const decoder = new EventDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await read(reader);
      if (done) return;
      yield undefined;
      for (const { id = '', data } of decoder.push(value)) {
        const event = JSON.parse(data) as ExecutionEvent;
        // A newer service may send more.
        if (KNOWN.has(event.type)) yield { id, ...event };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
  try {
    return await reader.read();
  } catch (error) {
    throw new ConnectionError('the stream broke off', { cause: error });
  }
}

/** A repeated call whose execution has ended answers with the result. Its events can still be read. */
function startedOf(result: CallResult | RunResult): Started {
  const url = (ids: Parameters<typeof streamPathOf>[0]) => {
    const stream = streamPathOf(ids) ?? '';
    return { status_url: stream.replace(/\/stream$/, ''), stream_url: stream };
  };
  if ('run_id' in result) {
    const { run_id, status } = result;
    return { run_id, status, ...url({ run_id }) } satisfies AcceptedRun;
  }
  const { execution_id } = result;
  const status = result.exit_code === 0 ? 'succeeded' : 'failed';
  return { execution_id, status, ...url({ execution_id }) } satisfies AcceptedExecution;
}
