import { readCutMarker } from '@svc/core/execution/cut-marker';
import { type OutputEvent, readEvent } from '@svc/core/execution/event';
import { END_ID } from '@svc/core/execution/event-ids';
import { linesOf } from '@svc/core/execution/raw-output';
import { readSkipped } from '@svc/core/execution/skipped-output';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { LineLog } from './line-log.ts';

/** The events of a stream besides output. No event follows `end`. */
export interface StreamResult {
  /** The unparsed JSON of a transformed output, so that numbers keep their digits. */
  readonly transformed?: string;
  readonly end?:
    | { readonly kind: 'done'; readonly exitCode: number; readonly durationMs: number }
    | { readonly kind: 'error'; readonly error: string };
  /** The command writes raw stdout (decision 68, raw output). */
  readonly isRaw?: true;
  /** Why the hub closed this connection while the execution continues. */
  readonly interruption?: string;
}

/** Reads the bytes of successive connections to the stream of an execution; lines are appended to the log. */
export class EventReader {
  readonly log = new LineLog();
  #decoder = new SseDecoder();
  #firstId: string | undefined;
  #lastId: string | undefined;
  #result: StreamResult = {};
  /** No output has come on this connection, and an earlier connection has brought some. */
  #isResuming = false;
  #isBehindCut = false;

  /** The `?after=` of the next connection. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** The id of the first event; the `?before=` of a request for earlier ones. */
  get firstId(): string | undefined {
    return this.#firstId;
  }

  get result(): StreamResult {
    return this.#result;
  }

  /**
   * Some of the lines in the log are no longer on record: output was cut up to a later place. How many of the cut lines the log has is
   * not known, so nothing more is added to it.
   */
  get isBehindCut(): boolean {
    return this.#isBehindCut;
  }

  /** Drops the incomplete event of the previous connection; the hub sends it again. */
  beginConnection(): void {
    this.#decoder = new SseDecoder();
    this.#isResuming = this.#lastId !== undefined;
    this.#isBehindCut = false;
    const { interruption: _over, ...result } = this.#result;
    this.#result = result;
  }

  /** @param arrivedMs undefined where the bytes may have waited at the hub */
  push(bytes: Uint8Array, arrivedMs?: number): void {
    for (const { data, lastEventId } of this.#decoder.push(bytes)) {
      this.#onEvent(data, lastEventId === END_ID, arrivedMs);
      if (this.#isBehindCut) return;
      if (lastEventId === '') continue;
      this.#firstId ??= lastEventId;
      this.#lastId = lastEventId;
    }
  }

  /** Notes that lines before the first event are in the log now. */
  addEarlier({ firstId, isRaw }: { readonly firstId: string; readonly isRaw: boolean }): void {
    this.#firstId = firstId;
    if (isRaw) this.#noteRaw();
  }

  #noteRaw(): void {
    if (!this.#result.isRaw) this.#result = { ...this.#result, isRaw: true };
  }

  #onEvent(data: string, isLast: boolean, arrivedMs: number | undefined): void {
    const event = readEvent(data);
    switch (event?.type) {
      case 'output':
        this.#isBehindCut = this.#isResuming && isCutMarker(event);
        if (this.#isBehindCut) return;
        this.#isResuming = false;
        if (event.encoding !== undefined) this.#noteRaw();
        for (const [place, line] of linesOf(event).entries())
          this.log.append(line, event.stream === 'stderr', {
            continuesEvent: place > 0,
            arrivedMs,
            isRaw: event.encoding !== undefined,
          });
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
        // An error without the end id concerns this connection: the reader was too slow or lost its access.
        if (isLast) this.#result = { ...this.#result, end: { kind: 'error', error: event.error } };
        else this.#result = { ...this.#result, interruption: event.error };
        break;
      case undefined: {
        const skipped = readSkipped(data);
        if (skipped !== undefined) this.log.skip(skipped);
        if (skipped?.isRaw) this.#noteRaw();
      }
    }
  }
}

/** The hub sends the marker right after the stored lines before the cut, so a reader that gets it first may have more lines than those. */
function isCutMarker({ encoding, data }: OutputEvent): boolean {
  return encoding === undefined && readCutMarker(data) !== undefined;
}
