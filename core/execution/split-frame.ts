import type { EncodedOutput, EndingRun } from './frame.ts';

const NEWLINE = 0x0a;

/**
 * The same events in frames of at most `maxBytes`; an event that is longer by itself has a frame of its own.
 *
 * A frame can be 40 times the chunk it was made of, and what travels is bounded.
 */
export function splitFrame(frame: EncodedOutput, maxBytes: number): EncodedOutput[] {
  if (frame.sse.length <= maxBytes) return [frame];
  const frames: EncodedOutput[] = [];
  const endings = new EndingRuns(frame.endings);
  for (let start = 0; start < frame.sse.length; ) {
    const sse = frame.sse.slice(start, endOfEvents(frame.sse, start, maxBytes));
    const lines = countEvents(sse);
    frames.push({ sse, lines, endings: endings.take(lines) });
    start += sse.length;
  }
  return frames;
}

/** Where the last event ends that fits, else where the first one does. JSON never holds a raw line break. */
function endOfEvents(sse: Uint8Array, start: number, maxBytes: number): number {
  if (sse.length - start <= maxBytes) return sse.length;
  let end = sse.lastIndexOf(NEWLINE, start + maxBytes - 1) + 1;
  // Between the two newlines of an event's end: the second is already beyond.
  if (end > start && sse[end - 2] !== NEWLINE) end = sse.lastIndexOf(NEWLINE, end - 2) + 1;
  return end > start ? end : sse.indexOf(NEWLINE, start) + 2;
}

/** The number of complete events. Each ends with an empty line, and its data has no line break. */
export function countEvents(sse: Uint8Array): number {
  let events = 0;
  for (let at = sse.indexOf(NEWLINE); at !== -1; at = sse.indexOf(NEWLINE, at + 2)) events += 1;
  return events;
}

/** The runs of a frame, returned for some lines after the other. */
class EndingRuns {
  readonly #runs: readonly EndingRun[];
  #line = 0;
  #at = 0;

  constructor(runs: readonly EndingRun[]) {
    this.#runs = runs;
  }

  /** The ends of the next lines, counted from the first of these. */
  take(lines: number): EndingRun[] {
    const first = this.#line;
    const end = first + lines;
    const taken: EndingRun[] = [];
    for (let run = this.#runs[this.#at]; run !== undefined && run[0] < end; run = this.#runs[this.#at]) {
      const [from, count, ending] = run;
      const start = Math.max(from, first);
      taken.push([start - first, Math.min(from + count, end) - start, ending]);
      if (from + count > end) break;
      this.#at += 1;
    }
    this.#line = end;
    return taken;
  }
}
