// Hubs of two versions beside each other, as while they are upgraded one after the other (decision 54): killed at random, each
// comes back as what it was. SVC_TEST_BEFORE names the commit of the version before.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { natsMissing } from '../nats.ts';
import { postgresMissing } from '../postgres.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Seeded } from './chaos/seeded.ts';
import { copySources, sourcesOf } from './chaos/source-tree.ts';
import { surviveKills } from './chaos/survive-kills.ts';

const LONG = process.env.SVC_TEST_LONG !== undefined;
const KILLS = LONG ? 50 : 3;
/** The last one in service; moves on with each release. */
const { SVC_TEST_BEFORE: BEFORE = 'b0ff762' } = process.env;

setDefaultTimeout(LONG ? 1_800_000 : 300_000);

describe.skipIf((postgresMissing ?? natsMissing) !== undefined)('three hubs of which one', () => {
  async function expectToSurvive(seed: number, hubRoots: readonly string[]): Promise<void> {
    const survived = await surviveKills({
      seed,
      fleet: { store: 'postgres', hubs: 3, programs: 2, crowds: { processes: 1, agents: 10 }, hubRoots },
      killing: { goesOn: (count) => count < KILLS, isSpared: ({ kind }) => kind !== 'hub', isPatient: false },
    });
    expect(survived).toEqual({ kills: KILLS, broken: [], dishonest: [] });
  }

  const seed = Seeded.seed();

  test(`is of a version with another schema, ${KILLS} times (SVC_TEST_SEED=${seed})`, async () => {
    await using folder = await temporaryFolder();
    const after = copySources(folder.path);
    await addMigration(after);
    await expectToSurvive(seed, [after]);
  });

  test.each(LONG ? [BEFORE] : [])(
    `is of the version before, %s, ${KILLS} times (SVC_TEST_SEED=${seed})`,
    async (commit) => {
      await using folder = await temporaryFolder();
      const before = await sourcesOf(commit, folder.path);
      if (before === undefined) throw new Error(`the history has no commit ${commit}: say SVC_TEST_BEFORE`);
      await expectToSurvive(seed, [before]);
    },
  );
});

/** As the version after may have it: a column more where executions are written, and a table that nothing here knows. */
async function addMigration(tree: string): Promise<void> {
  const path = join(tree, 'hub/store/migrations/migrate.ts');
  const text = await Bun.file(path).text();
  const added = `'9999-later': async (database) => {
    await database.schema.alterTable('executions').addColumn('later', 'text', (of) => of.notNull().defaultTo('')).execute();
    await database.schema.createTable('later').addColumn('id', 'text').execute();
  },`;
  const changed = text.replace(/(?<=MIGRATIONS: .*?= \{\n)/s, `${added}\n`);
  if (changed === text) throw new Error('migrate.ts has no list of migrations any more');
  await Bun.write(path, changed);
}
