import { SQL } from 'bun';

/** The share of samples in which a process of PostgreSQL waited for this. */
export type Shares = Readonly<Record<'working' | 'log' | 'lock' | 'other', number>>;

const POLL_MS = 20;
/** Waiting for its client is no work of the database. */
const BUSY = `select wait_event_type as type, wait_event as event from pg_stat_activity
  where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`;

/** The work of PostgreSQL during a measurement: how many processes work, and how many wait for its log, at a time. */
export async function whatItWaitsFor<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly shares: Shares }> {
  const sql = new SQL(url, { max: 1 });
  const seen = { working: 0, log: 0, lock: 0, other: 0 };
  let samples = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const rows = (await sql.unsafe(BUSY)) as { type: string | null; event: string | null }[];
      samples += 1;
      for (const { type, event } of rows) seen[kindOf(type, event)] += 1;
      await Bun.sleep(POLL_MS);
    }
  })();
  try {
    const result = await work();
    const share = (count: number) => count / Math.max(1, samples);
    const { working, log, lock, other } = seen;
    const shares = {
      ...{ working: share(working), log: share(log), lock: share(lock), other: share(other) },
    };
    return { result, shares };
  } finally {
    isOver = true;
    await looking;
    await sql.close();
  }
}

function kindOf(type: string | null, event: string | null): keyof Shares {
  if (type === null) return 'working';
  if (event?.startsWith('WAL') === true) return 'log';
  return type === 'Lock' || type === 'LWLock' ? 'lock' : 'other';
}
