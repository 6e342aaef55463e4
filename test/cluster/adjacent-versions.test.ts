// Hubs of two versions beside each other, as while they are upgraded one after the other (decision 54, configuration of a
// hub): killed at random, each comes back as what it was. SVC_TEST_BEFORE names the commit of the version before.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { BEFORE, LATER, makeVersion } from '../beside/adjacent-versions.ts';
import { natsMissing } from '../nats.ts';
import { postgresMissing } from '../postgres.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Seeded } from './chaos/seeded.ts';
import { surviveKills } from './chaos/survive-kills.ts';

const LONG = process.env.SVC_TEST_LONG !== undefined;
const KILLS = LONG ? 50 : 3;

setDefaultTimeout(LONG ? 1_800_000 : 300_000);

describe.skipIf((postgresMissing ?? natsMissing) !== undefined)('three hubs of which one', () => {
  const seed = Seeded.seed();

  test.each([LATER, ...(LONG ? [BEFORE] : [])])(
    `is of another version, %s, ${KILLS} times (SVC_TEST_SEED=${seed})`,
    async (version) => {
      await using folder = await temporaryFolder();
      expect(await makeVersion(version, folder.path)).toBe(true);
      const hubRoots = [folder.path];
      const survived = await surviveKills({
        seed,
        fleet: { store: 'postgres', hubs: 3, programs: 2, crowds: { processes: 1, agents: 10 }, hubRoots },
        killing: {
          continues: (count) => count < KILLS,
          isSpared: ({ kind }) => kind !== 'hub',
          isPatient: false,
        },
      });
      expect(survived).toEqual({ kills: KILLS, broken: [], dishonest: [] });
    },
  );
});
