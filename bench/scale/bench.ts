import { natsMissing } from '../../test/nats.ts';
import { postgresMissing } from '../../test/postgres.ts';
import { NOOP_OUTPUT } from '../hub/noop.ts';
import { type Answers, type Load, loadGenerator, perSecond, type Request } from '../load/load.ts';
import { compare } from '../measure/comparison.ts';
import { interleaveMany } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { readingsOf } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { expectAnswer } from '../peers/server.ts';
import { svcProgram } from '../peers/svc.ts';
import { type Cluster, nameOf, requestTo, startCluster } from './cluster.ts';
import { throughputInSlices } from './slices.ts';
import { whatItWaitsFor } from './waits.ts';

const FULL = { rounds: 5, seconds: 3, warmUpSeconds: 6 };
const QUICK = { rounds: 1, seconds: 1, warmUpSeconds: 1 };
type Size = typeof FULL;

const MAX_HUBS = 3;
const CONNECTIONS = 48;
const GOAL = { atMost: 1.5 } as const;

/** `npm run bench -- scale [--quick]`: what a second hub costs a call, and what more hubs bring, up to what PostgreSQL can take. */
export async function benchScale(args: readonly string[]): Promise<void> {
  const missing = postgresMissing ?? natsMissing;
  if (missing !== undefined) {
    console.log(`Not measured: ${missing}`);
    return;
  }
  const isQuick = args.includes('--quick');
  const size = isQuick ? QUICK : FULL;
  const machine = await machineFacts();
  const load = loadGenerator();
  const report: Report = {
    benchmark: 'scale',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: { svc: svcProgram().description, load: load.description },
    sections: [
      await oneCall(load, size),
      ...(await throughput(load, size)),
      ...(await throughputInSlices(load, size)),
    ],
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

/** A call to the only hub there is, beside calls where there are two: to the one that has the agent, and to the other. */
async function oneCall(load: Load, { rounds, seconds }: Size): Promise<Section> {
  await using alone = await startCluster(1);
  await using pair = await startCluster(2);
  const ways = {
    'one hub': requestTo(alone, 0, 0),
    'two hubs, to the one with the agent': requestTo(pair, 0, 0),
    'two hubs, to the other': requestTo(pair, 1, 0),
  };
  for (const way of Object.values(ways)) await expectAnswer(way, JSON.stringify(NOOP_OUTPUT));
  const contestants = Object.entries(ways).map(([name, way]) => ({
    name,
    measure: async () => ({ p50: (await load.keepAsking(way, 1, seconds)).p50Ms }),
  }));
  const turns = (await interleaveMany(contestants, rounds))('p50');
  const [one = '', near = '', far = ''] = Object.keys(ways);
  return {
    title: 'One call at a time, p50',
    unit: 'ms',
    comparisons: [
      compare({ subject: near, against: one }, turns),
      compare({ subject: far, against: one, goal: GOAL }, turns),
    ],
    notMeasured: [],
    turns,
  };
}

type Series = 'perSecond' | 'hubs' | 'postgres' | 'working' | 'log' | 'lock';

/** The same connections, spread over one hub, two and three, each with an agent of its own. */
async function throughput(load: Load, { rounds, seconds }: Size): Promise<Section[]> {
  const counts = Array.from({ length: MAX_HUBS }, (_, at) => at + 1);
  await using clusters = new AsyncDisposableStack();
  const contestants = [];
  for (const count of counts) {
    const cluster = clusters.use(await startCluster(count));
    const requests = cluster.tenants.map(({ at }) => requestTo(cluster, at, at));
    for (const each of requests) await expectAnswer(each, JSON.stringify(NOOP_OUTPUT));
    contestants.push({ name: nameOf(count), measure: () => measured(load, cluster, requests, seconds) });
  }
  const turnsOf = await interleaveMany<Series>(contestants, rounds);
  const section = (title: string, unit: string, series: Series): Section => {
    const turns = turnsOf(series);
    const readings = readingsOf(counts.map(nameOf), turns);
    return { title, unit, comparisons: [], readings, notMeasured: [], turns };
  };
  return [
    section(
      `${CONNECTIONS} connections, an agent that does not spawn at each hub`,
      'executions/s',
      'perSecond',
    ),
    section('The same: processor time of all hubs, per execution', 'µs', 'hubs'),
    section('The same: processor time of PostgreSQL, per execution', 'µs', 'postgres'),
    section('The same: connections of PostgreSQL that work, at a time', '', 'working'),
    section('The same: those that wait for its log to be on the disk', '', 'log'),
    section('The same: those that wait for another', '', 'lock'),
  ];
}

async function measured(
  load: Load,
  cluster: Cluster,
  requests: readonly Request[],
  seconds: number,
): Promise<Record<Series, number>> {
  const before = { hubs: cluster.hubsMs(), postgres: cluster.postgresMs() };
  const each = Math.floor(CONNECTIONS / requests.length);
  const { result, shares } = await whatItWaitsFor(cluster.url, () =>
    Promise.all(requests.map((one) => load.keepAsking(one, each, seconds))),
  );
  const answered = result.reduce((sum, one: Answers) => sum + one.answered, 0);
  const usPerCall = (ms: number) => (ms * 1_000) / answered;
  return {
    perSecond: result.reduce((sum, one) => sum + perSecond(one), 0),
    hubs: usPerCall(cluster.hubsMs() - before.hubs),
    postgres: usPerCall(cluster.postgresMs() - before.postgres),
    working: shares.working,
    log: shares.log,
    lock: shares.lock,
  };
}
