import { createStore, type Store } from '@svc/hub/build/create-store';
import { newExecution, newId, STORE_OPTIONS, succeeded } from '@svc/hub/platform/db/fixtures/samples';
import { openLedger } from '../ledger.ts';
import type { Seeded } from './seeded.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 48;
/** The start of a day; two days later is over by hours. */
const FIRST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS;
/** No endpoint has it, and no agent gets its executions. */
const SLUG = 'days-ago';
/** 48 hours and two days, of the workspace and of the endpoint. */
const PACKED_SPANS = 2 * (HOURS + HOURS / 24);
const PAUSE_MS = { least: 20, most: 200 };
/** A hub packs each hour, which is ten minutes here. */
const ENDS_PER_PACKING = 8;

const FATES = ['failed', 'cancelled', 'proved'] as const;

interface LateEndOptions {
  readonly store: Store;
  readonly databaseUrl: string;
  readonly seeded: Seeded;
  readonly workspaceId: string;
}

interface LateEnd {
  readonly id: string;
  readonly fate: (typeof FATES)[number];
}

/**
 * Executions of days ago that end while processes are killed, as another hub of this version would end them. Their hours and days are packed
 * meanwhile, so each of these ends unpacks some (decision 116, late ends). On PostgreSQL only: SQLite packs nothing.
 */
export class LateEnds implements AsyncDisposable {
  readonly #options: LateEndOptions;
  readonly #waiting: LateEnd[] = [];
  #work = Promise.resolve();
  #isHurried = false;

  /** Stores two of them for each hour of two days: one that has ended, and one that ends later. */
  static async seed(databaseUrl: string, seeded: Seeded): Promise<LateEnds> {
    const store = await createStore({ kind: 'postgres', url: databaseUrl }, STORE_OPTIONS);
    await using ledger = await openLedger({ databaseUrl });
    const [workspace] = await ledger.rows<{ id: string }>('select id from workspaces');
    const ends = new LateEnds({ store, databaseUrl, seeded, workspaceId: workspace?.id ?? '' });
    await ends.#seed();
    return ends;
  }

  private constructor(options: LateEndOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#work = this.#endAll();
  }

  /** Settles when all have ended and all of their hours and days are packed. */
  async finish(): Promise<void> {
    this.#isHurried = true;
    await this.#work;
    await using ledger = await openLedger({ databaseUrl: this.#options.databaseUrl });
    const packed = async () => {
      const text = `select count(distinct (slug, span_ms, from_ms)) as spans from execution_counts_packed where from_ms < ${FIRST_MS + HOURS * HOUR_MS}`;
      const [row] = await ledger.rows<{ spans: number }>(text);
      return row?.spans;
    };
    // A hub may pack at the same moment; then a step is left for later.
    while ((await packed()) !== PACKED_SPANS) await isDone(this.#options.store.packCounts());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isHurried = true;
    await this.#work;
    await this.#options.store[Symbol.asyncDispose]();
  }

  async #seed(): Promise<void> {
    for (let hour = 0; hour < HOURS; hour += 1) {
      await this.#add(hour, 'failed');
      await this.#endNext();
    }
    for (let hour = 0; hour < HOURS; hour += 1) await this.#add(hour, FATES[hour % FATES.length]);
    await this.#options.store.packCounts();
  }

  /** NOTE: Its end waits before it is stored. The answer may be lost, and the end of one that was not stored changes nothing. */
  async #add(hour: number, fate: LateEnd['fate'] = 'failed'): Promise<void> {
    const { store, workspaceId } = this.#options;
    const createdAtMs = FIRST_MS + hour * HOUR_MS;
    const id = newId(createdAtMs);
    this.#waiting.splice(this.#options.seeded.between(0, this.#waiting.length), 0, { id, fate });
    const state = fate === 'cancelled' ? 'pending_approval' : 'running';
    const quota = { workspaceId, period: new Date(FIRST_MS).toISOString().slice(0, 7), limit: undefined };
    const execution = newExecution({ id, workspaceId, createdAtMs, state, slug: SLUG, args: '{}' });
    await store.executions.accept(execution, fate === 'failed' ? quota : undefined);
    if (fate === 'proved') await store.executions.finish(endOf(id, 'lost'), []);
  }

  /** Ends one after another, and adds others when all have ended, until it is told to hurry. */
  async #endAll(): Promise<void> {
    for (let ended = 1; !this.#isHurried || this.#waiting.length > 0; ) {
      if (!this.#isHurried) await Bun.sleep(this.#options.seeded.between(PAUSE_MS.least, PAUSE_MS.most));
      if (this.#waiting.length === 0)
        await isDone(this.#add(this.#options.seeded.between(0, HOURS - 1), this.#options.seeded.pick(FATES)));
      if (await isDone(this.#endNext())) ended += 1;
      if (ended % ENDS_PER_PACKING === 0) await isDone(this.#options.store.packCounts());
    }
  }

  /** None of them ran, and only those that failed have used their quota. */
  async #endNext(): Promise<void> {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const end =
      next.fate === 'failed'
        ? endOf(next.id, 'failed', this.#options.seeded.between(0, 60_000))
        : endOf(next.id, 'cancelled');
    await this.#options.store.executions.finish(end, []);
    this.#waiting.shift();
  }
}

function endOf(id: string, state: 'failed' | 'cancelled' | 'lost', durationMs?: number) {
  return succeeded(id, { state, durationMs, exitCode: undefined });
}

/** False if the database was dead: to be tried again. */
async function isDone(work: Promise<void>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}
