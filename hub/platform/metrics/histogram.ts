import { type Registry, Histogram as Series } from 'prom-client';

/** One series of a histogram. */
export class Histogram {
  readonly #series: { observe(value: number): void };

  constructor(series: { observe(value: number): void }) {
    this.#series = series;
  }

  /** After the clock was set back, a negative duration counts as zero. */
  observe(value: number): void {
    this.#series.observe(value > 0 ? value : 0);
  }

  /** The seconds since a moment of `performance.now()`. */
  observeSince(beganAtMs: number): void {
    this.observe((performance.now() - beganAtMs) / 1000);
  }
}

/** The labels of a histogram. */
export interface HistogramFacts {
  readonly name: string;
  readonly help: string;
  /** The upper ends of the buckets, ascending. */
  readonly buckets: readonly number[];
}

export function histogram(registry: Registry, { buckets, ...facts }: HistogramFacts): Histogram {
  return new Histogram(new Series({ ...facts, buckets: [...buckets], registers: [registry] }));
}

/** The fixed values of a label, so that calls cannot create more series. */
export function histogramOfEach<const Value extends string>(
  registry: Registry,
  { buckets, ...facts }: HistogramFacts,
  label: string,
  values: readonly Value[],
): Readonly<Record<Value, Histogram>> {
  const options = { ...facts, buckets: [...buckets], labelNames: [label], registers: [registry] };
  const all = new Series(options);
  const members = values.map((value) => {
    all.zero({ [label]: value });
    return [value, new Histogram(all.labels(value))] as const;
  });
  return Object.fromEntries(members) as Record<Value, Histogram>;
}

const EVERY_MS = 100;

/** Measures how late timers fire, until the returned function is called. */
export function watchEventLoop(delay: Histogram): () => void {
  let dueAtMs = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delay.observe((nowMs - dueAtMs) / 1000);
    dueAtMs = nowMs + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
