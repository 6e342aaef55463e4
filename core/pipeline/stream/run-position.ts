import { END_ID, readPosition, type StreamPosition } from '../../execution/event-ids.ts';

/** The position of a reader in one step: all attempts before `attempt`, and that attempt up to `at`. */
export interface StepPosition {
  readonly attempt: number;
  readonly at: StreamPosition | typeof END_ID;
}

/** The positions of a reader in a run's stream, by the number of the node in the definition. */
export type RunPosition = ReadonlyMap<number, StepPosition>;

const READ = /^[0-9a-f]{1,250}$/;
const PART = /^(\d{1,4}):(\d{1,4}):(.*)$/;

/**
 * A position as the id of an event: one bit for each node whose first attempt was read to the end, in hexadecimal, then the
 * other nodes as `number:attempt:position`.
 *
 * Steps run side by side and their events arrive in any order, so only a position in each step says what is missing. The id
 * stays short, because a finished step takes one bit and a stream follows a limited number of steps at once.
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

/** The part of one node, to append to a position without that node. */
export function formatStepPosition(node: number, { attempt, at }: StepPosition): string {
  return `${node}:${attempt}:${at === END_ID ? END_ID : `${at.seq}.${at.events}`}`;
}

function isRead({ attempt, at }: StepPosition): boolean {
  return attempt === 1 && at === END_ID;
}

/** Parses the id of an event of a run's stream; undefined: it is not one. */
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
