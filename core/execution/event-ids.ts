/** The position of a reader in an execution's stream: all events of the pieces before `seq`, and `events` of that one. */
export interface StreamPosition {
  readonly seq: number;
  readonly events: number;
}

/** The id of the last event of a stream. */
export const END_ID = 'end';

const POSITION = /^(\d{1,10})(?:\.(\d{1,7}))?$/;

/** Reads an event's id; `5` alone means all of piece 5. */
export function readPosition(text: string): StreamPosition | typeof END_ID | undefined {
  if (text === END_ID) return END_ID;
  const [, seq, events] = POSITION.exec(text) ?? [];
  if (seq === undefined) return undefined;
  return events === undefined
    ? { seq: Number(seq) + 1, events: 0 }
    : { seq: Number(seq), events: Number(events) };
}

/** After all output that can be stored. */
const END_OF_STORED: StreamPosition = { seq: Number.MAX_SAFE_INTEGER - 1, events: 0 };

/** The position before the event with this id, `end` included. Only an id that names an event has one. */
export function positionBefore(id: string): StreamPosition | undefined {
  const position = readPosition(id);
  if (position === END_ID) return END_OF_STORED;
  if (position === undefined || position.events === 0) return undefined;
  return { seq: position.seq, events: position.events - 1 };
}

const BORDER = '\n\n';
const decoder = new TextDecoder();

interface IdOptions {
  readonly prefix?: string;
  readonly skip?: number;
  readonly until?: number | undefined;
}

/**
 * The events of one piece of a stream as text, each with an `id:` line, without the first `skip` of them and without
 * those after the first `until` (decision 20, asynchronous calls and records).
 *
 * The data of an event is one line of JSON, so a blank line can only be the end of one.
 */
export function withIds(
  seq: number,
  sse: Uint8Array,
  { prefix = '', skip = 0, until }: IdOptions = {},
): string {
  const events = decoder.decode(sse).split(BORDER).slice(0, -1);
  return events
    .map((event, index) => `id: ${prefix}${seq}.${index + 1}\n${event}${BORDER}`)
    .slice(skip, until)
    .join('');
}
