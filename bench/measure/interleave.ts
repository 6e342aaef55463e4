import { median } from './statistics.ts';

/** One side of a comparison. */
export interface Contestant {
  readonly name: string;
  /** One turn: a single figure, or one for each call of the turn, whose median is then the figure. */
  measure(): Promise<readonly number[]>;
}

/** A row as it was measured. */
export interface Turn {
  readonly round: number;
  readonly contestant: string;
  readonly figure: number;
  readonly raw: readonly number[];
}

/**
 * Lets the contestants take turns, A B C A B C, so that a slow minute of the machine meets all of them alike.
 *
 * One round before the first is run and thrown away: caches, compilers and connections warm up in it.
 */
export async function interleave(contestants: readonly Contestant[], rounds: number): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const contestant of contestants) {
      const raw = await contestant.measure();
      if (round > 0) turns.push({ round, contestant: contestant.name, figure: median(raw), raw });
    }
  }
  return turns;
}

/** The figures of one contestant, in the order of the rounds. */
export function figuresOf(contestant: string, turns: readonly Turn[]): number[] {
  return turns.filter((turn) => turn.contestant === contestant).map((turn) => turn.figure);
}
