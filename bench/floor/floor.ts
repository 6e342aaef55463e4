import { join } from 'node:path';
import { output } from '../measure/program.ts';

/** The C program of this folder: what spawning costs when nothing else is done. */
export interface Floor {
  readonly description: string;
  spawnsPerSecond(command: readonly string[], concurrency: number, seconds: number): Promise<number>;
  /** Milliseconds from before the spawn to the first byte, one call after another. */
  firstByteMs(command: readonly string[], calls: number): Promise<readonly number[]>;
}

/** Compiles the floor into the folder; undefined where no C compiler is installed. */
export async function compileFloor(folder: string): Promise<Floor | undefined> {
  const compiler = Bun.which('cc');
  if (compiler === null) return undefined;
  const program = join(folder, 'spawn');
  await output([compiler, '-O2', '-o', program, join(import.meta.dir, 'spawn.c')]);
  return {
    description: 'a C loop of posix_spawn (bench/floor/spawn.c), one spawner',
    async spawnsPerSecond(command, concurrency, seconds) {
      const printed = await output([program, 'throughput', `${concurrency}`, `${seconds}`, ...command]);
      const run = JSON.parse(printed) as { spawned: number; seconds: number };
      return run.spawned / run.seconds;
    },
    async firstByteMs(command, calls) {
      const printed = await output([program, 'first-byte', `${calls}`, ...command]);
      const { nanoseconds } = JSON.parse(printed) as { nanoseconds: number[] };
      return nanoseconds.map((ns) => ns / 1e6);
    },
  };
}
