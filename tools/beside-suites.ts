import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BEFORE, LATER, makeVersion } from '../test/beside/adjacent-versions.ts';
import { natsMissing } from '../test/nats.ts';
import { postgresMissing } from '../test/postgres.ts';
import { type Suite, WAITING } from './suites.ts';

/** All with several hubs, but for those that kill at random: of these some have hubs of two versions by themselves. */
const SEVERAL_HUBS = [
  'test/cluster/dispatch.test.ts',
  'test/cluster/hubs.test.ts',
  'test/cluster/many-at-once.test.ts',
  'test/cluster/rolling-restart.test.ts',
  'test/faults/elsewhere/transitions-hubs.test.ts',
  'test/faults/elsewhere/volume-hubs.test.ts',
  'test/spec/hub-takeover.test.ts',
  'test/spec/hub-thought-dead.test.ts',
  'test/spec/pipeline-engine-hubs.test.ts',
  'test/spec/schedules-two-hubs.test.ts',
];
/** How much memory output takes at a hub of the version before is its own matter. */
const SWAPPED = SEVERAL_HUBS.filter((file) => !file.includes('volume'));
/** These need a frame that both versions know; without it calls take another way, which the other tests cover. */
const SAME_FRAMES = ['test/cluster/hand-over.test.ts', 'test/cluster/traces.test.ts'];
/** All with one hub on PostgreSQL: another one stands beside it. */
const ONE_HUB = [
  'test/faults/elsewhere/link-postgres.test.ts',
  'test/faults/elsewhere/transitions-postgres.test.ts',
  'test/faults/elsewhere/volume-postgres.test.ts',
  'test/postgres-spec/',
];
const QUICK = ['test/cluster/dispatch.test.ts', 'test/postgres-spec/schedules.test.ts'];

/**
 * Tests with hubs of two versions: of this one, and of the one before or one that has a migration more.
 *
 * @param folder for the sources of the other versions, shared by all
 */
export async function besideSuites(folder: string, isLong: boolean): Promise<readonly Suite[]> {
  if ((postgresMissing ?? natsMissing) !== undefined) return [];
  const suites: Suite[] = [];
  const later = await sourcesIn(folder, LATER);
  const all = [...SEVERAL_HUBS, ...ONE_HUB];
  if (later) suites.push(suite('hubs beside a later one', later, isLong ? [...all, ...SAME_FRAMES] : QUICK));
  const before = await sourcesIn(folder, BEFORE);
  const missing = `the history has no commit ${BEFORE}; SVC_TEST_BEFORE names another`;
  if (before) suites.push(suite(`hubs beside one of ${BEFORE}`, before, isLong ? all : QUICK));
  else if (isLong) throw new Error(missing);
  else console.log(`Hubs beside one of the version before are not tried: ${missing}.`);
  if (before && isLong) suites.push(swapped(suite(`hubs of ${BEFORE} beside one of these`, before, SWAPPED)));
  return suites;
}

async function sourcesIn(folder: string, version: string): Promise<string | undefined> {
  const path = join(folder, version);
  mkdirSync(path);
  return (await makeVersion(version, path)) ? path : undefined;
}

/** All faults, and ordinary counts of everything else: what the others show in the full counts is not about versions. */
function suite(name: string, sources: string, files: readonly string[]): Suite {
  const env = { SVC_TEST_BESIDE: sources, SVC_TEST_FAULTS: '1', SVC_TEST_LONG: undefined };
  return { name, args: [...WAITING, ...files], env };
}

/** The hub that was of this version is of the other one, and the other way round. */
function swapped({ env, ...rest }: Suite): Suite {
  return { ...rest, env: { ...env, SVC_TEST_BESIDE_FIRST: '1' } };
}
