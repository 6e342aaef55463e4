import { join } from 'node:path';
import { copySources, sourcesOf } from './source-tree.ts';

/** The last one in service; moves on with each release. */
export const { SVC_TEST_BEFORE: BEFORE = '78103ea7' } = process.env;
/** Whether the history of this clone has the commit of the version before. */
export const hasBefore = Bun.spawnSync(['git', 'cat-file', '-e', `${BEFORE}^{commit}`], {
  cwd: import.meta.dir,
  stderr: 'ignore',
}).success;
/** The stand-in for the version after: these sources with a migration more. */
export const LATER = 'later';

/** Puts the sources of a version, a commit or LATER, into a folder that is empty; false where the history has no such commit. */
export async function makeVersion(version: string, folder: string): Promise<boolean> {
  if (version !== LATER) return await sourcesOf(version, folder);
  copySources(folder);
  await addMigration(folder);
  return true;
}

/**
 * A change as the version after may have it: another column where executions are written, and a table that this version does
 * not use.
 */
async function addMigration(tree: string): Promise<void> {
  const path = join(tree, 'hub/platform/db/migrations/migrate.ts');
  const text = await Bun.file(path).text();
  const added = `'9999-later': async (database) => {
    await database.schema.alterTable('executions').addColumn('later', 'text', (of) => of.notNull().defaultTo('')).execute();
    await database.schema.createTable('later').addColumn('id', 'text').execute();
  },`;
  const changed = text.replace(/(?<=MIGRATIONS: .*?= \{\n)/s, `${added}\n`);
  if (changed === text) throw new Error('migrate.ts has no list of migrations any more');
  await Bun.write(path, changed);
}
