import { readEvent } from '@svc/core/execution/event';
import { END_ID } from '@svc/core/execution/event-ids';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import type { LineLog } from './line-log.ts';

/** What a stream says besides output. Once `end` is there, nothing more comes. */
export interface StreamResult {
  /** The JSON of a transformed output as it came, with every digit of its numbers. */
  readonly transformed?: string;
  readonly end?:
    | { readonly kind: 'done'; readonly exitCode: number; readonly durationMs: number }
    | { readonly kind: 'error'; readonly error: string };
  /** Why this connection was ended, when only that was: the execution goes on. */
  readonly interruption?: string;
}

/** Takes the bytes of one connection after the other to an execution's stream; lines go to the log. */
export class EventReader {
  readonly #log: LineLog;
  #decoder = new SseDecoder();
  #lastId: string | undefined;
  #result: StreamResult = {};

  constructor(log: LineLog) {
    this.#log = log;
  }

  /** Where to go on after a break: the `?after=` of the next connection. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  get result(): StreamResult {
    return this.#result;
  }

  /** What was left of the connection before is no whole event; it comes again. */
  beginConnection(): void {
    this.#decoder = new SseDecoder();
    const { interruption: _over, ...result } = this.#result;
    this.#result = result;
  }

  push(bytes: Uint8Array): void {
    for (const { data, lastEventId } of this.#decoder.push(bytes)) {
      this.#take(data, lastEventId === END_ID);
      if (lastEventId !== '') this.#lastId = lastEventId;
    }
  }

  #take(data: string, isLast: boolean): void {
    const event = readEvent(data);
    switch (event?.type) {
      case 'output':
        this.#log.append(event.data);
        break;
      case 'transformed_output':
        this.#result = { ...this.#result, transformed: data };
        break;
      case 'done':
        this.#result = {
          ...this.#result,
          end: { kind: 'done', exitCode: event.exit_code, durationMs: event.duration_ms },
        };
        break;
      case 'error':
        // Without the id of the end it is about the connection: its reader was too slow, or may not read any more.
        if (isLast) this.#result = { ...this.#result, end: { kind: 'error', error: event.error } };
        else this.#result = { ...this.#result, interruption: event.error };
        break;
      case undefined:
        break;
    }
  }
}
