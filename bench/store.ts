// Executions per second that a store accepts and finishes, quota counted and output stored: `bun bench/store.ts`. Prints only.
import { join } from 'node:path';
import { createStore, type Store, type StoreLocation } from '../hub/store/create-store.ts';
import { chunk, endpointOf, newExecution, quota, succeeded } from '../hub/store/fixtures/samples.ts';
import { postgresMissing, startPostgres } from '../test/postgres.ts';
import { temporaryFolder } from './measure/temporary-folder.ts';

const IN_FLIGHT = [8, 64] as const;
const SECONDS = 3;

await using folder = await temporaryFolder();
await measure('SQLite', { kind: 'sqlite', file: join(folder.path, 'store.db') });
if (postgresMissing === undefined) {
  await using server = await startPostgres();
  await measure('PostgreSQL', { kind: 'postgres', url: await server.createDatabase() });
} else {
  console.log(`PostgreSQL: not measured, ${postgresMissing}`);
}

async function measure(name: string, location: StoreLocation): Promise<void> {
  await using store = await createStore(location, { endpointOf });
  // What is prepared with the first use is not what is measured.
  await executeFor(store, 8, 0.3);
  for (const inFlight of IN_FLIGHT) {
    const before = store.figures;
    const executions = await executeFor(store, inFlight, SECONDS);
    const { units, commits } = store.figures;
    const shared = ((units - before.units) / (commits - before.commits)).toFixed(1);
    const perSecond = Math.round(executions / SECONDS).toLocaleString('en');
    console.log(`${name}, ${inFlight} in flight: ${perSecond} executions/s, ${shared} writes a commit`);
  }
}

async function executeFor(store: Store, inFlight: number, seconds: number): Promise<number> {
  const untilMs = performance.now() + seconds * 1_000;
  let executions = 0;
  const execute = async () => {
    while (performance.now() < untilMs) {
      const execution = newExecution({ createdAtMs: Date.now() });
      await store.executions.accept(execution, quota(1_000_000_000));
      await store.executions.finish(succeeded(execution.id), [chunk(execution.id, 1)]);
      executions += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, execute));
  return executions;
}
