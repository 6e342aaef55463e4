import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { createStore } from '../../build/create-store.ts';
import { migrateTo } from '../../platform/db/fixtures/migrated-to.ts';
import { runText } from '../../platform/db/fixtures/query-plans.ts';
import { chunk, newExecution, newId, STORE_OPTIONS, succeeded } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

onBothDatabases(({ newLocation, shared }) => {
  test('output from before an upgrade is read with what came after it, and is not stored again', async () => {
    const location = await newLocation();
    await migrateTo(location, '0015-sealed-inputs');
    const id = newId();
    const bytes = location.kind === 'sqlite' ? "x'6f6e65'" : String.raw`'\x6f6e65'`;
    await runText(
      location,
      `insert into output_chunks values ('${id}', 1, ${bytes}, null), ('${id}', 2, ${bytes}, null)`,
    );
    await using store = await createStore(location, STORE_OPTIONS);
    const old = (seq: number) => ({
      executionId: id,
      seq,
      sse: new TextEncoder().encode('one'),
      endings: undefined,
    });
    await store.executions.append([chunk(id, 2), chunk(id, 3)]);
    expect(await store.executions.output(id, 0, 10)).toEqual([old(1), old(2), chunk(id, 3)]);
    expect(await store.executions.output(id, 1, 1)).toEqual([old(2)]);
    expect(await store.executions.outputBack(id, 9, 2)).toEqual([chunk(id, 3), old(2)]);
  }, 60_000);

  test('chunks are read back byte for byte, in order, after the requested number', async () => {
    const { executions } = await shared();
    const { id } = newExecution();
    await executions.accept(newExecution({ id }));
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const chunks = [
      { executionId: id, seq: 1, sse: every, endings: undefined },
      { executionId: id, seq: 2, sse: new Uint8Array(), endings: '["\\r\\n",""]' },
      { executionId: id, seq: 10, sse: crypto.getRandomValues(new Uint8Array(65_536)), endings: undefined },
    ];
    await executions.append(chunks);
    expect(await executions.output(id, 0, 100)).toEqual(chunks);
    expect(await executions.output(id, 1, 100)).toEqual(chunks.slice(1));
    expect(await executions.output(id, 0, 2)).toEqual(chunks.slice(0, 2));
    expect(await executions.output(id, 10, 100)).toEqual([]);
    expect(await executions.output(newId(), 0, 100)).toEqual([]);
    expect(await executions.outputBack(id, Number.MAX_SAFE_INTEGER, 2)).toEqual(chunks.slice(1).reverse());
    expect(await executions.outputBack(id, 10, 100)).toEqual(chunks.slice(0, 2).reverse());
    expect(await executions.find(id)).toMatchObject({ lastSeq: 10, storedBytes: 256 + 65_536 });
  });

  test('a chunk that is stored already stays unchanged, and is not counted again', async () => {
    const { executions } = await shared();
    const { id } = newExecution();
    await executions.accept(newExecution({ id }));
    await executions.append([chunk(id, 1, 'as it was')]);
    await executions.append([chunk(id, 1, 'something else'), chunk(id, 2)]);
    await executions.append([chunk(id, 1), chunk(id, 2)]);
    expect(await executions.output(id, 0, 10)).toEqual([chunk(id, 1, 'as it was'), chunk(id, 2)]);
    const storedBytes = chunk(id, 1, 'as it was').sse.length + chunk(id, 2).sse.length;
    expect(await executions.find(id)).toMatchObject({ lastSeq: 2, storedBytes });
  });

  test('however an agent repeats itself after lost acknowledgements, the output is whole and counted once', async () => {
    const { executions } = await shared();
    const total = 12;
    // Each send begins at or before the first chunk that is not stored, and the last one reaches the end.
    const sends = fc.array(fc.record({ back: fc.nat(6), length: fc.integer({ min: 1, max: 8 }) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(sends, fc.nat(total), async (all, backAtEnd) => {
        const { id } = newExecution();
        await executions.accept(newExecution({ id }));
        const chunks = Array.from({ length: total }, (_, index) =>
          chunk(id, index + 1, `${index}`.repeat(index)),
        );
        let stored = 0;
        for (const { back, length } of all) {
          const from = Math.max(0, stored - back);
          await executions.append(chunks.slice(from, from + length));
          stored = Math.max(stored, Math.min(from + length, total));
        }
        await executions.finish(succeeded(id), chunks.slice(Math.max(0, stored - backAtEnd)));
        expect(await executions.output(id, 0, 100)).toEqual(chunks);
        const storedBytes = chunks.reduce((sum, { sse }) => sum + sse.length, 0);
        expect(await executions.find(id)).toMatchObject({ lastSeq: total, storedBytes });
      }),
      { numRuns: process.env.SVC_TEST_LONG ? 500 : 30 },
    );
  }, 120_000);

  test('writes of many executions that share commits do not mix', async () => {
    const { executions } = await shared();
    const ids = Array.from({ length: 30 }, () => newId());
    await Promise.all(
      ids.map(async (id) => {
        await executions.accept(newExecution({ id }));
        for (let seq = 1; seq <= 5; seq += 1) await executions.append([chunk(id, seq, `${id} ${seq}`)]);
        await executions.finish(succeeded(id), [chunk(id, 6, `${id} 6`)]);
      }),
    );
    for (const id of ids) {
      const expected = [1, 2, 3, 4, 5, 6].map((seq) => chunk(id, seq, `${id} ${seq}`));
      expect(await executions.output(id, 0, 100)).toEqual(expected);
    }
  }, 30_000);

  test('an ending that is asked for while output is being stored comes after it', async () => {
    const { executions } = await shared();
    const { id } = newExecution();
    await executions.accept(newExecution({ id }));
    const chunks = Array.from({ length: 9 }, (_, index) => chunk(id, index + 1));
    const [, , ended] = await Promise.all([
      executions.append(chunks.slice(0, 4)),
      executions.append(chunks.slice(4, 7)),
      executions.finish(succeeded(id), chunks.slice(7)),
    ]);
    expect(ended).toBe(true);
    expect(await executions.output(id, 0, 100)).toEqual(chunks);
    const storedBytes = chunks.reduce((sum, { sse }) => sum + sse.length, 0);
    expect(await executions.find(id)).toMatchObject({ lastSeq: 9, storedBytes });
  });

  test('nothing to append is nothing to do', async () => {
    const store = await shared();
    const { units } = store.figures;
    await store.executions.append([]);
    expect(store.figures.units).toBe(units);
  });
});

test('SQLite keeps text compressed', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  await using store = await createStore({ kind: 'sqlite', file }, STORE_OPTIONS);
  const { id } = newExecution();
  await store.executions.accept(newExecution({ id }));
  const printed = chunk(id, 1, 'deployed to production\n'.repeat(100));
  await store.executions.append([printed]);
  using database = new Database(file, { readonly: true });
  const query = database.query<{ bytes: number }, []>('select length(sse) as bytes from execution_output');
  expect(query.get()?.bytes).toBeLessThan(printed.sse.length / 5);
  expect(await store.executions.output(id, 0, 1)).toEqual([printed]);
});
