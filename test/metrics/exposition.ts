// A strict reader of the text format of Prometheus, written from its description: what a lenient one forgives is an error here.

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (\\S.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|[+-]Inf|-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/;
const SUFFIXES = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] } as const;

/** Each family once, with help, type and samples of its own in one block; throws where the text is otherwise. */
export function readExposition(text: string): Family[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families: { name: string; help: string; type: string; samples: Sample[] }[] = [];
  const lines = text.slice(0, -1).split('\n');
  for (let at = 0; at < lines.length; ) {
    if (lines[at] === '') {
      at += 1;
      continue;
    }
    const [, name = '', help = ''] = matched(HELP, lines[at]);
    const [, typed, type = ''] = matched(TYPE, lines[at + 1]);
    if (typed !== name) throw new Error(`HELP of ${name} is followed by TYPE of ${typed}`);
    if (families.some((family) => family.name === name)) throw new Error(`${name} is there twice`);
    const samples: Sample[] = [];
    for (at += 2; at < lines.length && lines[at] !== '' && !lines[at]?.startsWith('#'); at += 1)
      samples.push(sample(lines[at] ?? ''));
    families.push({ name, help, type, samples });
  }
  for (const family of families) checkFamily(family);
  return families;
}

function matched(pattern: RegExp, line: string | undefined): RegExpExecArray {
  const match = pattern.exec(line ?? '');
  if (match === null) throw new Error(`not what is expected here: ${line}`);
  return match;
}

function sample(line: string): Sample {
  const [, name = '', labels = '', value = ''] = matched(SAMPLE, line);
  return { name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) };
}

function readLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (let rest = text; rest !== ''; ) {
    const [whole, name = '', value = ''] = matched(LABEL, rest);
    if (labels.has(name)) throw new Error(`label ${name} is there twice`);
    labels.set(name, value);
    rest = rest.slice(whole.length);
  }
  return labels;
}

function checkFamily({ name, type, samples }: Family): void {
  const allowed = SUFFIXES[type as keyof typeof SUFFIXES].map((suffix) => name + suffix);
  const seen = new Set<string>();
  for (const { name: own, labels, value } of samples) {
    if (!allowed.includes(own)) throw new Error(`${own} among the samples of ${name}`);
    const key = `${own} ${JSON.stringify([...labels])}`;
    if (seen.has(key)) throw new Error(`twice: ${key}`);
    seen.add(key);
    if (Number.isNaN(value)) throw new Error(`${own} is no number`);
    if (type !== 'gauge' && value < 0) throw new Error(`${own} is below zero`);
  }
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`${name}: a counter ends in _total`);
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Buckets ascend by bound and by count to `+Inf`, which is the count; every series has its sum. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, ({ labels }) =>
    JSON.stringify([...labels].filter(([label]) => label !== 'le')),
  );
  for (const [key, all] of series) {
    const of = (suffix: string) => all.filter((one) => one.name === name + suffix);
    const buckets = of('_bucket').map(({ labels, value }) => ({ le: boundOf(labels.get('le')), value }));
    const [sum, count] = [of('_sum'), of('_count')];
    if (sum.length !== 1 || count.length !== 1) throw new Error(`${name} ${key}: one _sum and one _count`);
    if (buckets.at(-1)?.le !== Number.POSITIVE_INFINITY) throw new Error(`${name} ${key}: no last bucket`);
    if (buckets.at(-1)?.value !== count[0]?.value) throw new Error(`${name} ${key}: +Inf is not the count`);
    buckets.reduce((before, bucket) => {
      if (bucket.le <= before.le || bucket.value < before.value)
        throw new Error(`${name} ${key}: buckets do not ascend`);
      return bucket;
    });
  }
}

function boundOf(text: string | undefined): number {
  if (text === undefined) throw new Error('a bucket without a bound');
  return Number(text.replace('Inf', 'Infinity'));
}

/** The value of one sample; throws when it is not there. */
export function sampleOf(
  families: readonly Family[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = families
    .flatMap(({ samples }) => samples)
    .find(
      (one) =>
        one.name === name &&
        one.labels.size === Object.keys(labels).length &&
        Object.entries(labels).every(([label, value]) => one.labels.get(label) === value),
    );
  if (found === undefined) throw new Error(`there is no sample ${name} ${JSON.stringify(labels)}`);
  return found.value;
}
