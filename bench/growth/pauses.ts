import { reading } from '../measure/reading.ts';
import { type Asked, keepAsking, type Question } from './asking.ts';
import { diskWaits, type Waits } from './disk.ts';

export const CALLERS = 8;
/** No call may wait longer for a backup or for retention. */
const LONGEST_MS = 50;
/** A disk that lets another program wait no longer than this is no excuse. */
const SHORT_MS = 10;

/** The calls that waited while other work ran. */
export function pauses(pieces: readonly Piece[]) {
  return [
    reading({ what: 'call, p99, ms', figures: pieces.map(({ asked }) => asked.p99Ms) }),
    reading({
      what: 'the longest call, ms',
      figures: [Math.max(...pieces.map(({ asked }) => asked.maxMs))],
      goal: { atMost: LONGEST_MS },
    }),
    reading({
      what: 'floor: the longest synced write of 4 KiB by another program meanwhile, ms',
      figures: [Math.max(...pieces.map(({ disk }) => disk.maxMs))],
    }),
    reading({
      what: 'pieces of 2 s in which a call waited over 50 ms, and no write of the other program over 10 ms, of all, %',
      figures: [(100 * pieces.filter(isOurs).length) / pieces.length],
    }),
  ];
}

/** Two seconds of calls, and what the disk did to another program meanwhile. */
interface Piece {
  readonly asked: Asked;
  readonly disk: Waits;
}

/** A pause for which the disk is no excuse. */
function isOurs({ asked, disk }: Piece): boolean {
  return asked.maxMs > LONGEST_MS && disk.maxMs <= SHORT_MS;
}

/** Makes calls in pieces of two seconds until it is stopped, and then one piece more. */
export function keepUntil(call: Question, folder: string): { end(): Promise<Piece[]> } {
  let isOver = false;
  const piece = async (): Promise<Piece> => {
    const [asked, disk] = await Promise.all([
      keepAsking(call, { connections: CALLERS, seconds: 2 }),
      diskWaits(folder, 2),
    ]);
    return { asked, disk };
  };
  const pieces = (async () => {
    const found: Piece[] = [];
    do found.push(await piece());
    while (!isOver);
    found.push(await piece());
    return found;
  })();
  return {
    end: () => {
      isOver = true;
      return pieces;
    },
  };
}
