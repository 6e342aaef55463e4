import type { Metric, Registry } from 'prom-client';

/**
 * One series of a histogram. Every call observes about nine values, so a value is counted in an array. prom-client needs
 * twenty times as long: it looks its series up by a text of the labels, and its bucket by the text of a number.
 */
export class Histogram {
  readonly #buckets: readonly number[];
  /** One more than there are buckets: the last counts what exceeds all of them. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param buckets the upper ends of the buckets, ascending */
  constructor(buckets: readonly number[]) {
    this.#buckets = buckets;
    this.#counts = new Float64Array(buckets.length + 1);
  }

  /** After the clock was set back, a negative duration counts as zero. */
  observe(value: number): void {
    const counted = value > 0 ? value : 0;
    const buckets = this.#buckets;
    let at = 0;
    while (at < buckets.length && counted > (buckets[at] as number)) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += counted;
  }

  /** The seconds since a moment of `performance.now()`. */
  observeSince(beganAtMs: number): void {
    this.observe((performance.now() - beganAtMs) / 1000);
  }

  /** Its samples in the form of prom-client. Counts of buckets are cumulative. */
  samples(name: string, labels: Readonly<Record<string, string>>): Sample[] {
    let count = 0;
    const inBuckets = Array.from(this.#counts, (own, at): Sample => {
      count += own;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: this.#buckets[at] ?? '+Inf' },
        value: count,
      };
    });
    const rest = [
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
    return [...inBuckets, ...rest];
  }
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The labels of a histogram. */
export interface HistogramFacts {
  readonly name: string;
  readonly help: string;
  /** The upper ends of the buckets, ascending. */
  readonly buckets: readonly number[];
}

export function histogram(registry: Registry, facts: HistogramFacts): Histogram {
  const series = new Histogram(facts.buckets);
  register(registry, facts, [{ labels: {}, series }]);
  return series;
}

/** The fixed values of a label, so that calls cannot create more series. */
export function histogramOfEach<const Value extends string>(
  registry: Registry,
  facts: HistogramFacts,
  label: string,
  values: readonly Value[],
): Readonly<Record<Value, Histogram>> {
  const members = values.map((value) => [value, new Histogram(facts.buckets)] as const);
  register(
    registry,
    facts,
    members.map(([value, series]) => ({ labels: { [label]: value }, series })),
  );
  return Object.fromEntries(members) as Record<Value, Histogram>;
}

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly series: Histogram;
}

/** A registry of prom-client reads no more of a metric than its name and `get`. */
function register(registry: Registry, { name, help }: HistogramFacts, all: readonly Labelled[]): void {
  const get = async () => {
    const values = all.flatMap(({ labels, series }) => series.samples(name, labels));
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  };
  registry.registerMetric({ name, help, get } as unknown as Metric);
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
