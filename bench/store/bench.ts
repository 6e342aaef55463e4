import { join } from 'node:path';
import { createStore, type Store, type StoreLocation } from '@svc/hub/build/create-store';
import { chunk, newExecution, quota, STORE_OPTIONS, succeeded } from '@svc/hub/platform/db/fixtures/samples';
import { postgresMissing, startPostgres } from '../../test/postgres.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';

const IN_FLIGHT = [8, 64] as const;
const SECONDS = 3;
const MANY = 1_000_000_000;

/** `npm run bench -- store`: executions per second that a store alone accepts and finishes, with quota and output. Prints only. */
export async function benchStore(): Promise<void> {
  await using folder = await temporaryFolder();
  await measure('SQLite', { kind: 'sqlite', file: join(folder.path, 'store.db') });
  if (postgresMissing !== undefined) {
    console.log(`PostgreSQL: not measured, ${postgresMissing}`);
    return;
  }
  await using server = await startPostgres();
  await measure('PostgreSQL', { kind: 'postgres', url: await server.createDatabase() });
}

async function measure(name: string, location: StoreLocation): Promise<void> {
  await using store = await createStore(location, STORE_OPTIONS);
  // The preparation at the first use is not measured.
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
      await store.executions.accept(execution, quota(MANY));
      await store.executions.finish(succeeded(execution.id), [chunk(execution.id, 1)]);
      executions += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, execute));
  return executions;
}
