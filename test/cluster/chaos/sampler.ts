import { readdirSync, readFileSync } from 'node:fs';
import type { MortalProcess } from './mortal.ts';

/** The memory and open descriptors of a process at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly rssMiB: number;
  readonly descriptors: number;
  /** Of JavaScript, after its garbage was collected; of a hub. */
  readonly heapMiB: number | undefined;
}

const EVERY_MS = 5_000;
const MIB = 1024 * 1024;
const PAGE_BYTES = 4_096;

/** Looks again and again at what a process holds, until it is disposed of. */
export class Sampler implements AsyncDisposable {
  readonly samples: Sample[] = [];
  readonly #process: MortalProcess;
  readonly #timer: NodeJS.Timeout;

  constructor(process: MortalProcess) {
    this.#process = process;
    this.#timer = setInterval(() => this.#sample(), EVERY_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const { pid, kind, stdout } = this.#process;
    if (pid === undefined) throw new Error(`${this.#process.name} is dead, and should have been spared`);
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    const heap = stdout.text
      .split('\n')
      .findLast((line) => line.startsWith('heap '))
      ?.slice('heap '.length);
    this.samples.push({
      atMs: performance.now(),
      rssMiB: (Number(pages) * PAGE_BYTES) / MIB,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      heapMiB: heap === undefined ? undefined : Number(heap) / MIB,
    });
    // The next sample reads the answer.
    if (kind === 'hub') this.#process.signal('SIGUSR2');
  }
}

/** By how much something grew over the later half, by the line that fits its samples best (least squares). */
export function growthOf(samples: readonly Sample[], read: (sample: Sample) => number | undefined): number {
  const points = samples.slice(Math.floor(samples.length / 2)).flatMap((sample) => {
    const value = read(sample);
    return value === undefined ? [] : [[sample.atMs, value] as const];
  });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [atMean, valueMean] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const covariance = mean(points.map(([at, value]) => (at - atMean) * (value - valueMean)));
  const variance = mean(points.map(([at]) => (at - atMean) ** 2));
  const spanMs = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
  return (covariance / variance) * spanMs;
}
