import type { Database } from 'bun:sqlite';

/** More rows than anybody counts: as a product of ten thousand with themselves. */
const ROWS = 10_000;

/**
 * A write of this kind to such a row blocks as long as the process lives, so that it can be killed in the middle; the returned
 * function removes the block.
 *
 * @param which such as `before update on secrets when old.name = 'LAST'`
 */
export function lockedRow(database: Database, which: string): () => void {
  database.run('create table held_rows (n integer)');
  const add = database.prepare('insert into held_rows values (?)');
  database.transaction(() => {
    for (let n = 0; n < ROWS; n += 1) add.run(n);
  })();
  add.finalize();
  database.run(
    `create trigger held_row ${which} begin select count(*) from held_rows a, held_rows b, held_rows c; end`,
  );
  return () => {
    database.run('drop trigger held_row');
    database.run('drop table held_rows');
  };
}
