// Hubs, agents, the database and the broker are killed at random, links are cut and clocks jump, while callers of every kind
// continue: what was acknowledged is neither lost nor done twice, and every answer is true (decisions 14, 23, 24, 29, 30, 36,
// 37, 41 and 46). SVC_TEST_SEED and SVC_TEST_KILLS repeat and prolong it.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { natsMissing } from '../nats.ts';
import { postgresMissing } from '../postgres.ts';
import { Seeded } from './chaos/seeded.ts';
import { type SurvivalOptions, surviveKills } from './chaos/survive-kills.ts';

const LONG = process.env.SVC_TEST_LONG !== undefined;
const KILLS = Number(process.env.SVC_TEST_KILLS ?? (LONG ? 100 : 5));
/** Links that swallow everything take half a minute to be noticed. */
const IS_PATIENT = LONG || process.env.SVC_TEST_FAULTS !== undefined;
const KILLS_OF_ONE_HUB = LONG ? KILLS : 3;

setDefaultTimeout(LONG ? 3_600_000 : 600_000);

async function expectToSurvive(kills: number, seed: number, fleet: SurvivalOptions['fleet']): Promise<void> {
  const survived = await surviveKills({
    seed,
    fleet,
    killing: { continues: (count) => count < kills, isSpared: () => false, isPatient: IS_PATIENT },
  });
  expect(survived).toEqual({ kills, broken: [], dishonest: [] });
}

describe.skipIf((postgresMissing ?? natsMissing) !== undefined)(
  'three hubs, PostgreSQL, NATS and 50 agents',
  () => {
    const seed = Seeded.seed();
    test(`of which one process is killed at random, ${KILLS} times (SVC_TEST_SEED=${seed})`, () =>
      expectToSurvive(KILLS, seed, {
        store: 'postgres',
        hubs: 3,
        programs: 5,
        crowds: { processes: 3, agents: 15 },
      }));
  },
);

describe('one hub on SQLite with 10 agents', () => {
  const seed = Seeded.seed();
  test(`of which one process is killed at random, ${KILLS_OF_ONE_HUB} times (SVC_TEST_SEED=${seed})`, () =>
    expectToSurvive(KILLS_OF_ONE_HUB, seed, {
      store: 'sqlite',
      hubs: 1,
      programs: 0,
      crowds: { processes: 2, agents: 5 },
    }));
});
