/** How often a value was in each of some fixed buckets. Observing costs no allocation: it is done on the way of every call. */
export class Histogram {
  readonly #bounds: Float64Array;
  /** One more than there are bounds: the last bucket takes the rest. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds the upper ends of the buckets, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** A clock that was set back makes no time negative: it counts as none. */
  observe(value: number): void {
    const counted = value > 0 ? value : 0;
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && counted > (bounds[at] as number)) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += counted;
  }

  /** The time since a moment of `performance.now()`, in seconds. */
  observeSince(beganAtMs: number): void {
    this.observe((performance.now() - beganAtMs) / 1000);
  }

  /** Its samples; `labels` come before `le`. */
  lines(name: string, labels: string): string[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (inBucket, at) => {
      count += inBucket;
      const le = at < this.#bounds.length ? String(this.#bounds[at]) : '+Inf';
      return `${name}_bucket{${labels}${labels && ','}le="${le}"} ${count}`;
    });
    const own = labels && `{${labels}}`;
    return [...buckets, `${name}_sum${own} ${this.#sum}`, `${name}_count${own} ${count}`];
  }
}

/** What a histogram is about. */
export interface HistogramFacts {
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
}

interface Family extends HistogramFacts {
  /** By the text of their labels. */
  readonly members: ReadonlyMap<string, Histogram>;
}

/** Histograms with their names, in the text format of Prometheus. prom-client's cost several times as much for each value. */
export class Histograms {
  readonly #families: Family[] = [];

  add(facts: HistogramFacts): Histogram {
    const histogram = new Histogram(facts.bounds);
    this.#families.push({ ...facts, members: new Map([['', histogram]]) });
    return histogram;
  }

  /** One for each value of a label: these and no others, so that nobody's calls can make more of them. */
  addEach<const Value extends string>(
    facts: HistogramFacts,
    label: string,
    values: readonly Value[],
  ): Readonly<Record<Value, Histogram>> {
    const all = values.map((value) => [value, new Histogram(facts.bounds)] as const);
    const members = new Map(all.map(([value, histogram]) => [`${label}="${value}"`, histogram]));
    this.#families.push({ ...facts, members });
    return Object.fromEntries(all) as Record<Value, Histogram>;
  }

  text(): string {
    return this.#families.map(textOf).join('');
  }
}

function textOf({ name, help, members }: Family): string {
  const samples = [...members].flatMap(([labels, histogram]) => histogram.lines(name, labels));
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...samples].join('\n')}\n`;
}
