import type { Load } from '../load/load.ts';

/** The parameters of every part of this benchmark. */
export interface Means {
  readonly load: Load;
  readonly size: Size;
}

/** How long a run is: few rounds say whether something is broken, many what it costs. */
export interface Size {
  readonly rounds: number;
  readonly seconds: number;
  /**
   * How long each side has the same load before it is measured: a server is asked ten thousand times before its code is compiled.
   */
  readonly warmUpSeconds: number;
  /** Lines of the long output whose speed is measured, and of the one over which memory has to stay flat. */
  readonly lines: number;
  readonly flatLines: number;
  readonly agents: number;
}

/** All of it takes about five minutes. */
export const FULL: Size = {
  rounds: 5,
  seconds: 2,
  warmUpSeconds: 10,
  lines: 4_000_000,
  flatLines: 20_000_000,
  agents: 15_000,
};

/** Half a minute. */
export const QUICK: Size = {
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  lines: 1_000_000,
  flatLines: 4_000_000,
  agents: 1_000,
};
