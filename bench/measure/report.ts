import type { ComparisonResult } from './comparison.ts';
import type { Turn } from './interleave.ts';
import type { Machine } from './machine.ts';
import type { Reading } from './reading.ts';

/** One table: what was measured together, and what could not be measured and why. */
export interface Section {
  readonly title: string;
  readonly unit: string;
  readonly comparisons: readonly ComparisonResult[];
  /** Figures by themselves, when the goal is not a ratio. */
  readonly readings?: readonly Reading[];
  readonly notMeasured: readonly string[];
  readonly turns: readonly Turn[];
}

export interface Report {
  readonly benchmark: string;
  readonly date: string;
  readonly machine: Machine;
  /** The participants, each with its version or how it was built. */
  readonly participants: Readonly<Record<string, string>>;
  readonly sections: readonly Section[];
}
