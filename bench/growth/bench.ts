import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compare } from '../measure/comparison.ts';
import type { Turn } from '../measure/interleave.ts';
import { machineFacts, untilCalm } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { type Read, reading } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import type { Running } from '../peers/hub.ts';
import { svcProgram } from '../peers/svc.ts';
import { againstSmall } from './against-small.ts';
import { type Asked, keepAsking, type Question } from './asking.ts';
import { LONG_PIECES } from './fill.ts';
import { CALLERS, keepUntil, pauses } from './pauses.ts';
import { serve } from './served.ts';
import { type FilledStore, filledStore, type Kind, keptStore } from './store.ts';

const DAY_MS = 86_400_000;
const ALONE_MS = 10_000;
/** The hub indexes the output of calls after them. While it writes that much, reads in a loop wait (decision 62, reads apart from calls). */
const SETTLE_MS = 20_000;
const SIZES = [10_000, 100_000, 1_000_000];

const GOALS = {
  list: { atMost: 50 },
  start: { atMost: 500 },
  /** 1,475 bytes of output as events: 1.6 times that, and 0.9 KB. */
  bytes: { atMost: 1.6 * 1_475 + 920 },
  calls: { atLeast: 0.8 },
  p99: { atMost: 2 },
} as const;

interface Options {
  readonly sizes: readonly number[];
  readonly kinds: readonly Kind[];
  readonly rounds: number;
  readonly seconds: number;
  /** A folder for filled stores on SQLite: a later run uses them again. */
  readonly keep: string | undefined;
  readonly parts: readonly string[];
  /** Measures only when the machine has become calm: a store may be filled beside other work. */
  readonly calm: boolean;
}

const PARTS = ['alone', 'small', 'readers', 'backup', 'retention'];

/**
 * `npm run bench -- growth [--sizes=10000,3000000] [--on=sqlite,postgres] [--rounds=N] [--seconds=N] [--keep=FOLDER]
 * [--parts=alone,small,readers,backup,retention] [--calm]`: what a store costs as it grows: calls, also against a store of 10,000, lists,
 * statistics, start, retention and backup, and calls while one reader asks again and again.
 */
export async function benchGrowth(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  const sections: Section[] = [];
  for (const kind of options.kinds)
    for (const size of options.sizes) {
      const found = await measure(kind, size, options);
      for (const section of found) console.error(toMarkdownOf(section));
      sections.push(...found);
    }
  const report: Report = {
    benchmark: 'growth',
    date: new Date().toISOString().slice(0, 10),
    machine: await machineFacts(),
    participants: { svc: svcProgram().description },
    sections,
  };
  console.log(toMarkdown(report));
  console.log(`\nRaw rows: ${await writeReport(report)}`);
}

function toMarkdownOf({ title, readings = [], comparisons }: Section): string {
  const figures = readings.map(({ what, figure }) => `${what}: ${figure.median.toFixed(2)}`);
  return [title, ...figures, ...comparisons.map((result) => JSON.stringify(result))].join('\n  ');
}

function optionsOf(args: readonly string[]): Options {
  const given = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  return {
    sizes: given('sizes')?.split(',').map(Number) ?? SIZES,
    kinds: (given('on')?.split(',') as Kind[] | undefined) ?? ['sqlite', 'postgres'],
    rounds: Number(given('rounds') ?? 3),
    seconds: Number(given('seconds') ?? 4),
    keep: given('keep'),
    parts: given('parts')?.split(',') ?? PARTS,
    calm: args.includes('--calm'),
  };
}

interface Grown {
  readonly name: string;
  readonly store: FilledStore;
  readonly options: Options;
}

async function measure(kind: Kind, size: number, options: Options): Promise<Section[]> {
  await using store =
    kind === 'sqlite' && options.keep !== undefined
      ? await keptStore(options.keep, size)
      : await filledStore(kind, size);
  const name = `${size.toLocaleString('en')} executions on ${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`;
  const grown = { name, store, options };
  const bytes = await store.bytesPerExecution();
  const longId = await store.addLongOutput();
  if (options.calm) await untilCalm();
  const served = await serve(store);
  const { hub, call, startMs } = served;
  const reads = questionsOf(hub, store, longId);
  await keepAsking(call, { connections: CALLERS, seconds: 5 });
  const { parts } = options;
  const sections = [
    ...(parts.includes('alone') ? [await alone(grown, call, reads, { bytes, startMs })] : []),
    ...(parts.includes('small') ? await againstSmall({ name, kind, ...options }, served) : []),
    ...(parts.includes('readers') ? await whileReading(grown, call, reads) : []),
    ...(parts.includes('backup') && kind === 'sqlite' ? [await whileBackingUp(grown, call)] : []),
  ];
  await served.end();
  if (!parts.includes('retention')) return sections;
  await store.addOld(Math.min(size, 50_000));
  return [...sections, await whileSweeping(grown)];
}

/** Every list, every filter, a deep page, the statistics, and the end of a long output, by what they are. */
function questionsOf({ url }: Running, { account }: FilledStore, longId: string): Record<string, Question> {
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const paths = {
    'list, first page': '/executions',
    'status=failed': '/executions?status=failed',
    'endpoint=e3': '/executions?endpoint=e3',
    'endpoint=e7, status=failed (all of them)': '/executions?endpoint=e7&status=failed',
    'endpoint=e0, status=failed (none)': '/executions?endpoint=e0&status=failed',
    'agent=nosuch (none)': '/executions?agent=nosuch',
    'endpoint=e0, trigger=schedule (none)': '/executions?endpoint=e0&trigger=schedule',
    'deep: 29 days back': `/executions?until=${ago(29)}`,
    'Now: statistics of 24 hours': '/executions/stats',
    'statistics of 7 days by the hour': `/executions/stats?from=${ago(7)}`,
    'statistics of 30 days': `/executions/stats?bucket=day&from=${ago(30)}`,
    'statistics of 30 days, one endpoint': `/executions/stats?bucket=day&endpoint=e3&from=${ago(30)}`,
    'statistics of 6 hours by the minute': `/executions/stats?bucket=minute&from=${ago(0.25)}`,
    approvals: '/approvals?status=denied&endpoint=e11',
    'pipeline runs, two filters': '/pipeline-runs?pipeline=p3&status=failed',
    'audit log': '/audit?action=api_key.made',
    [`last event of ${LONG_PIECES.toLocaleString('en')} pieces`]: `/executions/${longId}/stream?last=1`,
  };
  const headers = { authorization: `Bearer ${account.accessToken}` };
  return Object.fromEntries(
    Object.entries(paths).map(([what, path]) => [what, { url: `${url}${path}`, headers }]),
  );
}

function sectionOf(title: string, unit: string, more: Partial<Section>): Section {
  return { title, unit, comparisons: [], readings: [], notMeasured: [], turns: [], ...more };
}

async function alone(
  { name, options }: Grown,
  call: Question,
  reads: Readonly<Record<string, Question>>,
  { bytes, startMs }: { readonly bytes: number; readonly startMs: number },
): Promise<Section> {
  const calls = await keepAsking(call, { connections: CALLERS, seconds: 2 * options.seconds });
  const figures: Read[] = [
    { what: 'bytes for each execution, with 1,475 of output', figures: [bytes], goal: GOALS.bytes },
    { what: 'start to the first welcome of an agent, ms', figures: [startMs], goal: GOALS.start },
    { what: 'calls/s, 8 connections', figures: [calls.perSecond] },
    { what: 'call, p50, ms', figures: [calls.p50Ms] },
    { what: 'call, p99, ms', figures: [calls.p99Ms] },
  ];
  const turns: Turn[] = [turnOf(1, 'calls', calls.perSecond, calls)];
  await Bun.sleep(SETTLE_MS);
  for (const [what, question] of Object.entries(reads)) {
    const asked = await keepAsking(question, { connections: 1, seconds: 1.5 });
    if (asked.failed > 0) throw new Error(`${what}: ${asked.failed} requests failed`);
    figures.push({ what: `${what}, p50, ms`, figures: [asked.p50Ms] });
    figures.push({ what: `${what}, p99, ms`, figures: [asked.p99Ms], goal: GOALS.list });
    turns.push(turnOf(1, what, asked.p99Ms, asked));
  }
  return sectionOf(`${name}: alone`, 'ms', { readings: figures.map(reading), turns });
}

function turnOf(round: number, contestant: string, figure: number, asked: Asked): Turn {
  return { round, contestant, figure, raw: [asked.perSecond, asked.p50Ms, asked.p99Ms, asked.maxMs] };
}

/** The calls right before those beside a reader: a slow minute of the machine meets both. */
const aloneBefore = (what: string) => `calls alone (before ${what})`;

/** Calls with one reader in a loop, and without, in turns. */
async function whileReading(
  { name: grown, options }: Grown,
  call: Question,
  reads: Readonly<Record<string, Question>>,
): Promise<Section[]> {
  const rates: Turn[] = [];
  const slowest: Turn[] = [];
  const { rounds, seconds } = options;
  for (let round = 1; round <= rounds; round += 1)
    for (const [what, question] of Object.entries(reads)) {
      const before = await keepAsking(call, { connections: CALLERS, seconds });
      const reader = keepAsking(question, { connections: 1, seconds: seconds + 0.5 });
      const beside = await keepAsking(call, { connections: CALLERS, seconds });
      await reader;
      for (const [name, calls] of [[aloneBefore(what), before] as const, [what, beside] as const]) {
        rates.push(turnOf(round, name, calls.perSecond, calls));
        slowest.push(turnOf(round, name, calls.p99Ms, calls));
      }
    }
  const compared = (turns: readonly Turn[], goal: { atLeast: number } | { atMost: number }) =>
    Object.keys(reads).map((subject) => compare({ subject, against: aloneBefore(subject), goal }, turns));
  return [
    sectionOf(`${grown}: calls while one reader loops`, 'calls/s', {
      comparisons: compared(rates, GOALS.calls),
      turns: rates,
    }),
    sectionOf(`${grown}: the same, p99`, 'ms', { comparisons: compared(slowest, GOALS.p99), turns: slowest }),
  ];
}

/** The longest call while a copy is made, and shortly after. */
async function whileBackingUp({ name, store }: Grown, call: Question): Promise<Section> {
  const { argv } = svcProgram();
  const before = keepUntil(call, store.dataDir);
  await Bun.sleep(ALONE_MS);
  const alone = await before.end();
  const asking = keepUntil(call, store.dataDir);
  const began = performance.now();
  await runSvc([...argv, 'admin', 'backup', join(store.dataDir, 'copy.db')], store);
  const seconds = (performance.now() - began) / 1000;
  const calls = await asking.end();
  await rm(join(store.dataDir, 'copy.db'));
  const audit = performance.now();
  await runSvc([...argv, 'admin', 'verify-audit'], store);
  const auditMs = performance.now() - audit;
  return sectionOf(`${name}: calls while a backup is made`, 'ms', {
    readings: [
      reading({ what: 'the backup, s', figures: [seconds] }),
      ...pauses(calls),
      reading({
        what: 'the longest call in the ten seconds before, ms',
        figures: [Math.max(...alone.map(({ asked }) => asked.maxMs))],
      }),
      reading({
        what: 'floor: the longest synced write in these ten seconds, ms',
        figures: [Math.max(...alone.map(({ disk }) => disk.maxMs))],
      }),
      reading({ what: 'svc admin verify-audit, ms', figures: [auditMs] }),
    ],
    turns: calls.map(({ asked }, at) => turnOf(at + 1, 'calls', asked.maxMs, asked)),
  });
}

/** Executions of 31 days ago are removed as soon as a hub starts. */
async function whileSweeping({ name, store }: Grown): Promise<Section> {
  const served = await serve(store);
  const asking = keepUntil(served.call, store.dataDir);
  await Bun.sleep(15_000);
  const calls = await asking.end();
  await served.end();
  return sectionOf(`${name}: calls while retention removes 50,000 executions`, 'ms', {
    readings: pauses(calls),
    turns: calls.map(({ asked }, at) => turnOf(at + 1, 'calls', asked.maxMs, asked)),
  });
}

async function runSvc(argv: readonly string[], { dataDir, env }: FilledStore): Promise<void> {
  const child = Bun.spawn([...argv], {
    env: { ...process.env, ...env, SVC_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await child.exited) !== 0) throw new Error(`${argv.join(' ')} failed`);
}
