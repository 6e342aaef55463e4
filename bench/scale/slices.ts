import { type Answers, type Load, perSecond } from '../load/load.ts';
import { compare, type Goal } from '../measure/comparison.ts';
import { type ControlGroup, findControlGroups, NO_CONTROL_GROUPS } from '../measure/control-group.ts';
import { interleaveMany, type Turn } from '../measure/interleave.ts';
import { readingsOf } from '../measure/reading.ts';
import type { Section } from '../measure/report.ts';
import { nameOf } from './cluster.ts';
import { limit, type SlicedCluster, type Slices, startSlicedCluster, taking } from './sliced-cluster.ts';

interface Size {
  readonly rounds: number;
  readonly seconds: number;
  /** For each hub. A slice in which the compiler is still busy has little left for calls. */
  readonly warmUpSeconds: number;
}

/** All of them leave enough of two cores to load, agents and broker. */
const CORES = { hub: 0.16, postgres: 0.28 };
const COUNTS = [1, 2, 3, 4, 5] as const;
const NAMES = COUNTS.map(nameOf);
const CONNECTIONS_EACH = 64;
const TITLE = `${CORES.hub} of a core for each hub, ${CORES.postgres} for PostgreSQL; ${CONNECTIONS_EACH} connections to each hub`;

/** While PostgreSQL has time left a second hub brings nearly what the first does; the last ones find it at its limit. */
const SECOND_HUB: Goal = { atLeast: 1.6 };
const POSTGRES_USED: Readonly<Record<string, Goal>> = {
  [nameOf(2)]: { atMost: 0.9 },
  [nameOf(5)]: { atLeast: 0.95 },
};

type Series =
  | 'perSecond'
  | 'hubsUsed'
  | 'hubsThrottled'
  | 'postgresUsed'
  | 'postgresThrottled'
  | 'hubsUs'
  | 'postgresUs'
  | 'cores';

/** The gain of more hubs when each has a small machine of its own, as PostgreSQL has, and which of them is at its limit. */
export async function throughputInSlices(load: Load, size: Size): Promise<Section[]> {
  const makeGroup = findControlGroups();
  return makeGroup === undefined
    ? [{ title: TITLE, unit: '', comparisons: [], notMeasured: [NO_CONTROL_GROUPS], turns: [] }]
    : await inGroups(load, size, makeGroup);
}

async function inGroups(load: Load, size: Size, makeGroup: () => ControlGroup): Promise<Section[]> {
  await using parts = new AsyncDisposableStack();
  // Load, agents and brokers have no limit, and come before other work of the machine as the slices do.
  const rest = parts.use(makeGroup());
  rest.take(process.pid);
  const unlimited: Slices = { groups: [rest], coresEach: Number.POSITIVE_INFINITY };
  const contestants = [];
  for (const count of COUNTS) {
    const cluster = parts.use(await startSlicedCluster(count, CORES, makeGroup));
    await askAll(load, cluster, size.warmUpSeconds * count);
    for (const slices of [cluster.hubs, cluster.postgres]) limit(slices);
    contestants.push({
      name: nameOf(count),
      measure: () => measured(load, cluster, unlimited, size.seconds),
    });
  }
  return sectionsOf(await interleaveMany<Series>(contestants, size.rounds));
}

function sectionsOf(turnsOf: (series: Series) => Turn[]): Section[] {
  const section = (title: string, unit: string, series: Series, more: Partial<Section> = {}): Section => {
    const turns = turnsOf(series);
    return {
      title,
      unit,
      comparisons: [],
      readings: readingsOf(NAMES, turns),
      notMeasured: [],
      turns,
      ...more,
    };
  };
  const calls = turnsOf('perSecond');
  const comparisons = [
    compare({ subject: nameOf(2), against: nameOf(1), goal: SECOND_HUB }, calls),
    compare({ subject: nameOf(5), against: nameOf(4) }, calls),
  ];
  const readings = readingsOf(NAMES, turnsOf('postgresUsed'), POSTGRES_USED);
  return [
    section(TITLE, 'executions/s', 'perSecond', { comparisons }),
    section('The same: what PostgreSQL used of its slice', 'share', 'postgresUsed', { readings }),
    section('The same: periods in which PostgreSQL used it up and had to wait', 'share', 'postgresThrottled'),
    section('The same: what the hubs used of theirs', 'share', 'hubsUsed'),
    section('The same: periods in which a hub used its own up and had to wait', 'share', 'hubsThrottled'),
    section('The same: processor time of all hubs, per execution', 'µs', 'hubsUs'),
    section('The same: processor time of PostgreSQL, per execution', 'µs', 'postgresUs'),
    section('The same: what hubs, PostgreSQL, load, agents and broker take together', 'cores', 'cores'),
  ];
}

function askAll(load: Load, { requests }: SlicedCluster, seconds: number): Promise<Answers[]> {
  return Promise.all(requests.map((one) => load.keepAsking(one, CONNECTIONS_EACH, seconds)));
}

async function measured(
  load: Load,
  cluster: SlicedCluster,
  unlimited: Slices,
  seconds: number,
): Promise<Record<Series, number>> {
  const { hubs, postgres } = cluster;
  const takenBy = { hubs: taking(hubs), postgres: taking(postgres), unlimited: taking(unlimited) };
  const answers = await askAll(load, cluster, seconds);
  const ofHubs = takenBy.hubs();
  const ofPostgres = takenBy.postgres();
  const answered = answers.reduce((sum, one) => sum + one.answered, 0);
  return {
    perSecond: answers.reduce((sum, one) => sum + perSecond(one), 0),
    hubsUsed: ofHubs.usedShare,
    hubsThrottled: ofHubs.throttledShare,
    postgresUsed: ofPostgres.usedShare,
    postgresThrottled: ofPostgres.throttledShare,
    hubsUs: (ofHubs.cpuMs * 1_000) / answered,
    postgresUs: (ofPostgres.cpuMs * 1_000) / answered,
    cores: ofHubs.cores + ofPostgres.cores + takenBy.unlimited().cores,
  };
}
