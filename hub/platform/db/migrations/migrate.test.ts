import { expect, test } from 'bun:test';
import { failureOf } from '../fixtures/failure-of.ts';
import { kyselyOn, TYPES } from '../fixtures/migrated-to.ts';
import { startProcess } from '../fixtures/processes.ts';
import { runSql } from '../fixtures/run-sql.ts';
import { newWorkspace } from '../fixtures/samples.ts';
import { onBothDatabases } from '../fixtures/stores.ts';
import { MIGRATIONS, migrate } from './migrate.ts';

onBothDatabases(({ newLocation, open }) => {
  test('hubs that start at the same moment on an empty database all start, and migrate it once', async () => {
    const location = await newLocation();
    const hubs = Array.from({ length: 4 }, () => startProcess('opening-process.ts', location));
    const said = await Promise.all(hubs.map(({ stdout }) => new Response(stdout).text()));
    expect(said).toEqual(hubs.map(() => 'opened\n'));
    expect(await runSql(location, 'select name from svc_migrations')).toHaveLength(
      Object.keys(MIGRATIONS).length,
    );
    await using store = await open(location);
    await newWorkspace(store);
  }, 60_000);

  test('a migrated database stays unchanged', async () => {
    const location = await newLocation();
    const { userId } = await (async () => {
      await using store = await open(location);
      return await newWorkspace(store);
    })();
    const before = await runSql(location, 'select * from svc_migrations');
    await using store = await open(location);
    expect(await store.accounts.userById(userId)).toBeDefined();
    expect(await runSql(location, 'select * from svc_migrations')).toEqual(before);
  });

  test('a database that lacks no migration is not read further', async () => {
    const location = await newLocation();
    await (await open(location))[Symbol.asyncDispose]();
    const texts: string[] = [];
    const database = kyselyOn(location, (text) => texts.push(text));
    await migrate(database, TYPES[location.kind]);
    await database.destroy();
    // Whether there are records of migrations, and which.
    expect(texts).toHaveLength(2);
    expect(texts[1]).toBe('select name from "svc_migrations"');
  });

  const LAST = Object.keys(MIGRATIONS).toSorted().at(-1)?.slice(0, 4);

  test.each(['9998-later', `9999-without-needs-${LAST}`])(
    'a database with %s of a newer program is taken',
    async (later) => {
      const location = await newLocation();
      await (await open(location))[Symbol.asyncDispose]();
      await runSql(
        location,
        `insert into svc_migrations (name, timestamp) values ('${later}', '2030-01-01')`,
      );
      await using store = await open(location);
      await newWorkspace(store);
      expect(await runSql(location, `select name from svc_migrations where name = '${later}'`)).toHaveLength(
        1,
      );
    },
  );

  test('a database from the middle of the initial schema is refused, and stays unchanged', async () => {
    const location = await newLocation();
    await (await open(location))[Symbol.asyncDispose]();
    await runSql(location, "delete from svc_migrations where name >= '0014'");
    const failure = await failureOf(open(location));
    expect(failure.message).toContain('it has no 0014-hosted');
    expect(await runSql(location, "select name from svc_migrations where name >= '0014'")).toEqual([]);
  });

  test.each(['9999-without-needs-9998', '0000-of-somebody-else'])(
    'a database with %s is refused',
    async (later) => {
      const location = await newLocation();
      await (await open(location))[Symbol.asyncDispose]();
      await runSql(
        location,
        `insert into svc_migrations (name, timestamp) values ('${later}', '2030-01-01')`,
      );
      const failure = await failureOf(open(location));
      expect(failure.message).toContain('the schema is not one of this program');
      expect(failure.message).toContain(later);
    },
  );
});
