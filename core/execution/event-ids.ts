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

const BORDER = '\n\n';
const decoder = new TextDecoder();

/**
 * The events of one piece of a stream as text, each with an `id:` line, without the first `skip` of them (decision 20,
 * asynchronous calls and records).
 *
 * The data of an event is one line of JSON, so a blank line can only be the end of one.
 */
export function withIds(seq: number, sse: Uint8Array, { prefix = '', skip = 0 } = {}): string {
  const events = decoder.decode(sse).split(BORDER).slice(0, -1);
  return events
    .map((event, index) => `id: ${prefix}${seq}.${index + 1}\n${event}${BORDER}`)
    .slice(skip)
    .join('');
}
