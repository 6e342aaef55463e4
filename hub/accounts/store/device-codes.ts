import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { AccessToken, DeviceCode, DeviceCodeDecision } from '../account-ports.ts';
import type { Credentials } from './credentials.ts';
import type { DeviceCodeRow } from './table.ts';

export class DeviceCodes {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #credentials: Pick<Credentials, 'addingAccessToken' | 'needingNoProvider' | 'stayingOpen'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(
    database: Database,
    auditWriter: AuditWriter,
    credentials: Pick<Credentials, 'addingAccessToken' | 'needingNoProvider' | 'stayingOpen'>,
  ) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#credentials = credentials;
    this.#queries = queriesOf(database);
  }

  /** False when a hash is taken; the caller then generates other codes. */
  async add(code: DeviceCode): Promise<boolean> {
    return (
      (await this.#database.commit([this.#queries.add(rowOf({ boundSessionId: undefined, ...code }))])) ===
      'stored'
    );
  }

  async byDeviceHash(hash: string): Promise<DeviceCode | undefined> {
    const row = await firstRow(this.#database, this.#queries.byDeviceHash({ hash }));
    return row && recordOf(row);
  }

  async byUserHash(hash: string): Promise<DeviceCode | undefined> {
    const row = await firstRow(this.#database, this.#queries.byUserHash({ hash }));
    return row && recordOf(row);
  }

  async polled(id: string, nowMs: number, intervalSec: number): Promise<void> {
    await this.#database.commit([this.#queries.polled({ id, now_ms: nowMs, interval_sec: intervalSec })]);
  }

  /** Compare-and-set: false when the code is no longer pending, or the session that approves has ended meanwhile. */
  async decide(id: string, decision: DeviceCodeDecision, entry: AuditEntry): Promise<boolean> {
    const { state } = decision;
    const by = state === 'approved' ? decision : { userId: null, workspaceId: null, boundSessionId: null };
    const decided = {
      ...{ id, state, now_ms: entry.atMs },
      ...{ user_id: by.userId, workspace_id: by.workspaceId, bound_session_id: by.boundSessionId ?? null },
    };
    const unit = [
      ...(state === 'approved' ? [this.#credentials.stayingOpen(decision.sessionId, entry.atMs)] : []),
      this.#queries.decide(decided),
    ];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /**
   * Uses an approved code and stores its token in one transaction. `used`: the code was used already, or denied meanwhile.
   * `needs_provider`: the workspace demands a session from its provider by now.
   */
  async redeem(
    id: string,
    token: AccessToken,
    entry: AuditEntry,
  ): Promise<'stored' | 'used' | 'needs_provider'> {
    const unit = [
      // The membership comes before the code, as where a person signs out everywhere.
      ...this.#credentials.needingNoProvider(token),
      this.#queries.use({ id }),
      this.#credentials.addingAccessToken(token),
    ];
    return await this.#auditWriter.commit(unit, entry);
  }
}

const COLUMNS = [
  'id',
  'device_hash',
  'user_hash',
  'client_name',
  'state',
  'interval_sec',
  'created_at_ms',
  'expires_at_ms',
  'polled_at_ms',
  'user_id',
  'workspace_id',
  'bound_session_id',
] as const;

type Decided = Pick<DeviceCodeRow, 'id' | 'state' | 'user_id' | 'workspace_id' | 'bound_session_id'> & {
  now_ms: number;
};

function queriesOf({ build }: Database) {
  const codes = build.selectFrom('device_codes').select(COLUMNS);
  return {
    add: writing((it: DeviceCodeRow) => build.insertInto('device_codes').values(slotsOf(it, COLUMNS)), {
      ifExists: 'taken',
    }),
    byDeviceHash: reading((it: { hash: string }) => codes.where('device_hash', '=', it.hash)),
    byUserHash: reading((it: { hash: string }) => codes.where('user_hash', '=', it.hash)),
    polled: writing((it: { id: string; now_ms: number; interval_sec: number }) =>
      build
        .updateTable('device_codes')
        .set({ polled_at_ms: it.now_ms, interval_sec: it.interval_sec })
        .where('id', '=', it.id),
    ),
    decide: writing(
      (it: Decided) =>
        build
          .updateTable('device_codes')
          .set(slotsOf(it, ['state', 'user_id', 'workspace_id', 'bound_session_id']))
          .where('id', '=', it.id)
          .where('state', '=', 'pending')
          .where('expires_at_ms', '>', it.now_ms),
      { unlessChanged: 'decided' },
    ),
    use: writing(
      (it: { id: string }) =>
        build
          .updateTable('device_codes')
          .set({ state: 'used' })
          .where('id', '=', it.id)
          .where('state', '=', 'approved'),
      { unlessChanged: 'used' },
    ),
  };
}
