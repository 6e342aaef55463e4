import { openLedger } from '../ledger.ts';
import { brokenInvariants } from '../ledger-invariants.ts';
import { ledgerSummary, underWay } from '../ledger-records.ts';
import { Callers } from './callers.ts';
import { wholeOutput } from './endpoints.ts';
import { Evidence } from './evidence.ts';
import { connectedAgents, type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { type KillingOptions, killAtRandom } from './kill-at-random.ts';
import { LateEnds } from './late-ends.ts';
import { Seeded } from './seeded.ts';
import { wrongStatistics } from './wrong-statistics.ts';

export interface SurvivalOptions {
  readonly seed: number;
  readonly fleet: Pick<FleetOptions, 'store' | 'hubs' | 'hubRoots' | 'programs' | 'crowds'>;
  readonly killing: Omit<KillingOptions, 'seeded'>;
  readonly callers?: number;
  /** Receives the fleet while it is under load; disposed when the load ends. */
  readonly watch?: (fleet: Fleet) => AsyncDisposable;
}

export interface Survived {
  readonly kills: number;
  /** Invariants that do not hold at the end. */
  readonly broken: readonly string[];
  /** Answers that callers should never have got. */
  readonly dishonest: readonly string[];
}

const POOLS = 5;
const CALLERS = 12;
/** A minute of the hubs passes in ten seconds, and a lease expires after two and a half. */
const TIMES = 6;
const LIFETIME_SEC = 3_600;
const POLL_MS = 50;
const MAX_COMPLAINTS = 10_000;

/** Starts everything, kills at random while callers continue, waits until nothing is unfinished, and checks the store. */
export async function surviveKills(options: SurvivalOptions): Promise<Survived> {
  const { seed, callers: count = CALLERS } = options;
  const common = { pools: POOLS, times: TIMES, lifetimeSec: LIFETIME_SEC };
  await using fleet = await startFleet({ ...options.fleet, ...common, seeded: new Seeded(seed + 1) });
  const evidence = new Evidence();
  const callers = new Callers({
    urls: fleet.urls,
    apiKey: fleet.start.apiKey,
    accessToken: fleet.start.accessToken,
    pools: POOLS,
    evidence,
    seeded: new Seeded(seed + 2),
  });
  const { ledger: location } = fleet;
  await using lateEnds =
    'databaseUrl' in location ? await LateEnds.seed(location.databaseUrl, new Seeded(seed + 3)) : undefined;
  lateEnds?.begin();
  callers.begin(count);
  const killed = await killUnderLoad(fleet, options);
  await callers.stop();
  await callers.pauseSchedules();
  await lateEnds?.finish();
  await untilQuiet(fleet, callers);
  await using ledger = await openLedger(fleet.ledger);
  const broken = [
    ...(await brokenInvariants(ledger, { ...evidence, ran: fleet.ran(), outputOf: wholeOutput })),
    ...(await wrongStatistics(fleet)),
  ];
  console.log(reportOf(seed, killed, evidence, await ledgerSummary(ledger)));
  const complaints = fleet.complaints();
  if (complaints !== '') console.log(complaints.slice(0, MAX_COMPLAINTS));
  return { kills: killed.length, broken, dishonest: evidence.dishonest };
}

async function killUnderLoad(fleet: Fleet, { seed, killing, watch }: SurvivalOptions): Promise<string[]> {
  await using _ = watch?.(fleet);
  return await killAtRandom(fleet, { ...killing, seeded: new Seeded(seed) });
}

/** Settles when every agent is back, nothing is unfinished, no caller waits, and no agent has anything unsent. */
async function untilQuiet(fleet: Fleet, callers: Callers): Promise<void> {
  await using ledger = await openLedger(fleet.ledger);
  const isQuiet = async () =>
    (await callers.decideRest()) &&
    (await connectedAgents(fleet)) === fleet.agentCount &&
    (await underWay(ledger)) === 0 &&
    fleet.journaled() === 0;
  while (!(await isQuiet())) await Bun.sleep(POLL_MS);
}

function reportOf(seed: number, killed: readonly string[], evidence: Evidence, summary: object): string {
  const deaths = Object.entries(Object.groupBy(killed, (name) => name)).map(
    ([name, all]) => `${name} ${all?.length}×`,
  );
  return [
    `seed ${seed}: ${killed.length} kills: ${deaths.toSorted().join(', ')}`,
    `answers ${JSON.stringify(Object.fromEntries([...evidence.answers].toSorted()))}`,
    `on record ${JSON.stringify(summary)}`,
  ].join('\n');
}
