import { readCutMarker } from './cut-marker.ts';
import type { OutputEvent } from './event.ts';
import type { StreamPosition } from './event-ids.ts';
import { kindOfEvents, linesOf } from './raw-output.ts';
import type { SkippedOutput } from './skipped-output.ts';
import { countEvents } from './split-frame.ts';

const NEWLINE = 0x0a;
const PREFIX = 'data: '.length;
/** The bytes of an event before its text, for both kinds of events that have lines. */
const HEAD_BYTES = {
  text: 'data: {"type":"output","data":"'.length,
  stderr: 'data: {"type":"output","stream":"stderr","data":"'.length,
} as const;
const MARKER_START = new TextEncoder().encode('[svc: ');

/**
 * Finds where the last events of a stored stream begin, and counts what is before them. It gets the pieces from the last to the
 * first. The counts come from the pieces themselves, so they need no room in the store and hold for output of every version.
 */
export class LastEvents {
  readonly #before: StreamPosition | undefined;
  #left: number;
  #from: StreamPosition = { seq: 1, events: 0 };
  #events = 0;
  #lines = 0;
  #cut: { readonly linesFromMarker: number; readonly lines: number } | undefined;
  #isRaw = false;

  /**
   * @param wanted how many events
   * @param before the position at which they end; undefined: at the end of the stream
   */
  constructor(wanted: number, before?: StreamPosition) {
    this.#left = wanted;
    this.#before = before;
  }

  /** Whether the events are found: more pieces change only what is skipped. */
  get isFound(): boolean {
    return this.#left === 0;
  }

  /** The position after which the events begin. */
  get from(): StreamPosition {
    return this.#from;
  }

  get skipped(): SkippedOutput {
    const cut = this.#cut && {
      afterLines: this.#lines - this.#cut.linesFromMarker,
      lines: this.#cut.lines,
    };
    return { events: this.#events, lines: this.#lines, cut, isRaw: this.#isRaw || undefined };
  }

  add(seq: number, sse: Uint8Array): void {
    const end = this.#before?.seq === seq ? this.#before.events : undefined;
    this.#skip(this.#take(seq, end === undefined ? sse : firstEvents(sse, end)));
  }

  /** Returns the events of the piece before those that are taken. */
  #take(seq: number, sse: Uint8Array): Uint8Array {
    if (this.#left === 0) return sse;
    const count = countEvents(sse);
    const taken = Math.min(count, this.#left);
    this.#left -= taken;
    this.#from = { seq, events: count - taken };
    return firstEvents(sse, count - taken);
  }

  #skip(sse: Uint8Array): void {
    if (sse.length === 0) return;
    const kind = kindOfEvents(sse);
    const events = countEvents(sse);
    const lines = kind === 'raw' ? countRawLines(sse) : events;
    this.#isRaw ||= kind === 'raw';
    this.#events += events;
    // The last marker is met first.
    const marker = kind === 'raw' || this.#cut !== undefined ? undefined : lastMarker(sse, HEAD_BYTES[kind]);
    if (marker !== undefined)
      this.#cut = { linesFromMarker: this.#lines + lines - marker.event, lines: marker.lines };
    this.#lines += lines;
  }
}

/** The bytes of the first events of a piece. */
function firstEvents(sse: Uint8Array, events: number): Uint8Array {
  let end = 0;
  for (let event = 0; event < events && end < sse.length; event += 1) {
    const newline = sse.indexOf(NEWLINE, end);
    if (newline === -1) return sse;
    end = newline + 2;
  }
  return sse.subarray(0, end);
}

function countRawLines(sse: Uint8Array): number {
  let lines = 0;
  for (const event of new TextDecoder().decode(sse).split('\n\n').slice(0, -1))
    lines += linesOf(JSON.parse(event.slice(PREFIX)) as OutputEvent).length;
  return lines;
}

/** The last line that reads as the marker of cut output, and how many events are before it. */
function lastMarker(sse: Uint8Array, headBytes: number): { event: number; lines: number } | undefined {
  let found: { event: number; lines: number } | undefined;
  let event = 0;
  for (let at = 0; at < sse.length; event += 1) {
    const end = sse.indexOf(NEWLINE, at);
    if (end === -1) break;
    if (MARKER_START.every((byte, place) => sse[at + headBytes + place] === byte)) {
      const { data } = JSON.parse(new TextDecoder().decode(sse.subarray(at + PREFIX, end))) as OutputEvent;
      const cut = readCutMarker(data);
      if (cut !== undefined) found = { event, lines: cut.lines };
    }
    at = end + 2;
  }
  return found;
}
