import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf } from '../../platform/db/unit/record-of-row.ts';
import { withEvent } from '../../platform/db/unit/statement.ts';
import type { HostSelf, KnownHost } from '../hosted-ports.ts';
import type { RunnerRow } from './table.ts';

interface At {
  readonly hubId: string;
  readonly nowMs: number;
}

/** The columns that a connection writes; the others belong to the journal. */
type Written = Omit<RunnerRow, 'journal_seq' | 'journal_damaged_at_ms'>;

/** One row per host, written when it connects and disconnects. */
export class KnownHosts {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async connected(host: HostSelf, { hubId, nowMs }: At): Promise<void> {
    const { instance, tokenId, version, hostname, engine, capacity } = host;
    const self = { instance, token_id: tokenId, version, hostname, engine, capacity };
    const row = { ...self, hub_id: hubId, connected_at_ms: nowMs, seen_at_ms: nowMs };
    await this.#database.commit([
      withEvent(this.#queries.connected(row), { kind: 'host_connected', instance }),
    ]);
  }

  async gone(instance: string, { hubId, nowMs }: At): Promise<void> {
    const gone = this.#queries.gone({ instance, hub_id: hubId, now_ms: nowMs });
    await this.#database.commit([withEvent(gone, { kind: 'host_gone', instance })]);
  }

  /** Called when a hub starts: no host is connected to its previous process. */
  async hubStarted(hubId: string): Promise<void> {
    await this.#database.commit([this.#queries.hubStarted({ hub_id: hubId })]);
  }

  /** The token of the host's last connection. */
  async tokenOf(instance: string): Promise<string | undefined> {
    return (await firstRow(this.#database, this.#queries.tokenOf({ instance })))?.token_id;
  }

  async all(): Promise<KnownHost[]> {
    const rows = await this.#database.rows(this.#queries.all({}));
    return rows.map(({ living_hub, ...row }) => ({ ...recordOf(row), hubId: living_hub ?? undefined }));
  }
}

const CHANGING = [
  'token_id',
  'version',
  'hostname',
  'engine',
  'capacity',
  'hub_id',
  'connected_at_ms',
  'seen_at_ms',
] as const;

function queriesOf({ build }: Database) {
  return {
    connected: writing((it: Written) =>
      build
        .insertInto('runners')
        .values(slotsOf(it, ['instance', ...CHANGING]))
        .onConflict((conflict) => conflict.column('instance').doUpdateSet(slotsOf(it, CHANGING))),
    ),
    gone: writing((it: { instance: string; hub_id: string; now_ms: number }) =>
      build
        .updateTable('runners')
        .set({ hub_id: null, seen_at_ms: it.now_ms })
        .where('instance', '=', it.instance)
        .where('hub_id', '=', it.hub_id),
    ),
    hubStarted: writing((it: { hub_id: string }) =>
      build.updateTable('runners').set({ hub_id: null }).where('hub_id', '=', it.hub_id),
    ),
    tokenOf: reading((it: { instance: string }) =>
      build.selectFrom('runners').select('token_id').where('instance', '=', it.instance),
    ),
    all: reading(() =>
      build
        .selectFrom('runners')
        .leftJoin('hubs', 'hubs.id', 'runners.hub_id')
        .select(['instance', ...CHANGING])
        .select('hubs.id as living_hub')
        .orderBy('hostname')
        .orderBy('instance'),
    ),
  };
}
