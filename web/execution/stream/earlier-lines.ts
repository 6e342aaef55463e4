import { readEvent } from '@svc/core/execution/event';
import { linesOf } from '@svc/core/execution/raw-output';
import { MAX_LAST_EVENTS } from '@svc/core/execution/skipped-output';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import type { EarlierLine } from './line-log.ts';

/** Lines loaded above the one that is wanted, so that scrolling on finds them. */
const MARGIN_LINES = 1_000;

/**
 * How many events to request before those in a log, so that `line` is among them; undefined: all. At least as many as there are, so
 * that few requests reach the beginning.
 */
export function eventsToLoad(
  { first, end }: { readonly first: number; readonly end: number },
  line: number,
): number | undefined {
  const events = Math.max(first - line + MARGIN_LINES, end - first);
  return line <= 0 || events >= first ? undefined : Math.min(events, MAX_LAST_EVENTS);
}

/** A piece is added to a log in one go, which takes a few milliseconds. */
const PIECE_LINES = 5_000;

/** The lines of successive events. */
export interface EarlierPiece {
  readonly firstId: string;
  readonly lines: readonly EarlierLine[];
  /** Whether some of the events are raw stdout. */
  readonly isRaw: boolean;
}

/** Reads a response with the events before those that a log has. */
export class EarlierReader {
  readonly #decoder = new SseDecoder();
  readonly #pieces: { firstId: string; lines: EarlierLine[]; isRaw: boolean }[] = [];

  /** In the order of the output. Events are not divided, so one of many lines makes a longer piece. */
  get pieces(): readonly EarlierPiece[] {
    return this.#pieces;
  }

  /** Throws when the hub says that it could not send all. */
  push(bytes: Uint8Array): void {
    for (const { data, lastEventId } of this.#decoder.push(bytes)) {
      const event = readEvent(data);
      if (event?.type === 'error') throw new Error(event.error);
      if (event?.type !== 'output') continue;
      const piece = this.#pieceFor(lastEventId);
      piece.isRaw ||= event.encoding !== undefined;
      for (const [place, text] of linesOf(event).entries())
        piece.lines.push({ text, isError: event.stream === 'stderr', continuesEvent: place > 0 });
    }
  }

  #pieceFor(id: string) {
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.lines.length < PIECE_LINES) return last;
    const next = { firstId: id, lines: [], isRaw: false };
    this.#pieces.push(next);
    return next;
  }
}
