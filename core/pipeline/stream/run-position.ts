import { END_ID, readPosition, type StreamPosition } from '../../execution/event-ids.ts';

/** How far a reader has come with one step: all of the tries before `attempt`, and of that one up to `at`. */
export interface StepPosition {
  readonly attempt: number;
  readonly at: StreamPosition | typeof END_ID;
}

/** How far a reader of a run's stream has come, by the number of the node in the definition. */
export type RunPosition = ReadonlyMap<number, StepPosition>;

const READ = /^[0-9a-f]{1,250}$/;
const PART = /^(\d{1,4}):(\d{1,4}):(.*)$/;

/**
 * A position as the id of an event: which nodes have been read to the end of their first try, as a bit each, in hexadecimal;
 * then the others that something has been read of, `number:attempt:position`.
 *
 * Steps run side by side, and their events arrive in whatever order; only a position in each of them says what is missing. It
 * stays short: what is finished takes a bit, and a stream follows only so many at once.
 */
export function formatRunPosition(position: RunPosition): string {
  let read = 0n;
  const parts: string[] = [];
  for (const [node, at] of position) {
    if (isRead(at)) read |= 1n << BigInt(node);
    else parts.push(formatStepPosition(node, at));
  }
  return [read.toString(16), ...parts].join(',');
}

/** The part of one node, to be put behind a position that does not have it. */
export function formatStepPosition(node: number, { attempt, at }: StepPosition): string {
  return `${node}:${attempt}:${at === END_ID ? END_ID : `${at.seq}.${at.events}`}`;
}

function isRead({ attempt, at }: StepPosition): boolean {
  return attempt === 1 && at === END_ID;
}

/** Reads the id of an event of a run's stream; undefined: it is none. */
export function readRunPosition(text: string): RunPosition | typeof END_ID | undefined {
  if (text === END_ID) return END_ID;
  const [read = '', ...parts] = text.split(',');
  if (!READ.test(read)) return undefined;
  const position = new Map<number, StepPosition>();
  [...BigInt(`0x${read}`).toString(2)].reverse().forEach((bit, node) => {
    if (bit === '1') position.set(node, { attempt: 1, at: END_ID });
  });
  for (const part of parts) {
    const [, node, attempt, at = ''] = PART.exec(part) ?? [];
    const read = readPosition(at);
    if (node === undefined || attempt === undefined || read === undefined) return undefined;
    position.set(Number(node), { attempt: Number(attempt), at: read });
  }
  return position;
}
