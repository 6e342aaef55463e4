import { median } from './statistics.ts';

/** One side of a comparison. */
export interface Contestant {
  readonly name: string;
  /** One turn: a single figure, or one for each call of the turn, whose median is then the figure. */
  measure(): Promise<readonly number[]>;
}

/** One side that gives several figures in each turn, such as a speed and the processor time that it took. */
export interface ManyFigures<Series extends string> {
  readonly name: string;
  measure(): Promise<Readonly<Record<Series, number>>>;
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
  const taken = await takeTurns(contestants, rounds);
  return taken.map(({ measured: raw, ...turn }) => ({ ...turn, figure: median(raw), raw }));
}

/** The same; the answer has the turns of each series by its name. */
export async function interleaveMany<Series extends string>(
  contestants: readonly ManyFigures<Series>[],
  rounds: number,
): Promise<(series: Series) => Turn[]> {
  const taken = await takeTurns(contestants, rounds);
  return (series) =>
    taken.map(({ measured, ...turn }) => ({ ...turn, figure: measured[series], raw: [measured[series]] }));
}

/** The figures of one contestant, in the order of the rounds. */
export function figuresOf(contestant: string, turns: readonly Turn[]): number[] {
  return turns.filter((turn) => turn.contestant === contestant).map((turn) => turn.figure);
}

interface Measurable<Measured> {
  readonly name: string;
  measure(): Promise<Measured>;
}

async function takeTurns<Measured>(contestants: readonly Measurable<Measured>[], rounds: number) {
  const turns: { round: number; contestant: string; measured: Measured }[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const contestant of contestants) {
      const measured = await contestant.measure();
      if (round > 0) turns.push({ round, contestant: contestant.name, measured });
    }
  }
  return turns;
}
