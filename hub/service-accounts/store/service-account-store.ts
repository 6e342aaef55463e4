import type { AuditEntry } from '@svc/core/audit/entry';
import {
  MAX_KEYS,
  MAX_SERVICE_ACCOUNTS,
  type ServiceAccount,
} from '@svc/core/service-account/service-account';
import { PERMISSIONS } from '@svc/core/workspace/permissions';
import type { ApiKey, UsedApiKey } from '../../accounts/account-ports.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale } from '../../platform/db/unit/statement.ts';
import type { ServiceAccountRow } from './table.ts';

interface Parts {
  readonly auditWriter: AuditWriter;
  readonly credentials: Pick<Credentials, 'addingApiKey' | 'apiKeyByHash' | 'apiKeysOf'>;
}

/** A key of a service account. */
export type ServiceAccountKey = UsedApiKey & { readonly serviceAccountId: string };

/** Service accounts and their keys. Their keys are API keys, which die with the account and not with their creator. */
export class ServiceAccounts {
  readonly #database: Database;
  readonly #parts: Parts;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, parts: Parts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = queriesOf(database);
  }

  async ofWorkspace(workspaceId: string): Promise<ServiceAccount[]> {
    return (await this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }))).map(
      recordOf,
    );
  }

  /** The keys of all service accounts of a workspace, revoked ones included. */
  async keysOf(workspaceId: string): Promise<ServiceAccountKey[]> {
    return (await this.#parts.credentials.apiKeysOf(workspaceId)).filter(isOfServiceAccount);
  }

  /** The account of a key and the key; undefined: the key is unknown, or that of a member. */
  async byKey(
    hash: string,
  ): Promise<{ readonly account: ServiceAccount; readonly key: ServiceAccountKey } | undefined> {
    const key = await this.#parts.credentials.apiKeyByHash(hash);
    if (key === undefined || !isOfServiceAccount(key)) return undefined;
    const row = await firstRow(this.#database, this.#queries.byId({ id: key.serviceAccountId }));
    return row && { account: recordOf(row), key };
  }

  /**
   * Adds an account. `no_manager`: its creator may no longer manage service accounts. `refused`: the name is taken, or the
   * workspace has the most accounts that it may have.
   */
  async add(account: ServiceAccount, entry: AuditEntry): Promise<'stored' | 'no_manager' | 'refused'> {
    const row = rowOf(account);
    const unit = [this.#queries.byManager(row), this.#queries.add(row), this.#queries.fits(row)];
    return await this.#parts.auditWriter.commit(unit, entry);
  }

  /**
   * Adds a key. `no_manager` and `no_member`: its creator may no longer manage service accounts. `refused`: the account was
   * disabled, or has the most keys that it may have.
   */
  async addKey(
    key: ApiKey & { readonly serviceAccountId: string },
    entry: AuditEntry,
  ): Promise<'stored' | 'no_manager' | 'no_member' | 'refused'> {
    const { workspaceId: workspace_id, createdBy: created_by, serviceAccountId: id } = key;
    const unit = [
      this.#queries.byManager({ workspace_id, created_by }),
      ...this.#parts.credentials.addingApiKey(key),
      this.#queries.takesKey({ workspace_id, id }),
    ];
    return await this.#parts.auditWriter.commit(unit, entry);
  }

  /** Disables an account and revokes its keys in one transaction; false when there is none that works. */
  async disable(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const it = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    const unit = [this.#queries.disable(it), this.#queries.revokeKeys(it)];
    return await this.#commitForKeys(workspaceId, unit, entry);
  }

  /** Revokes a key of a service account; false when there is none that works. */
  async revokeKey(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const it = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    return await this.#commitForKeys(workspaceId, [this.#queries.revokeKey(it)], entry);
  }

  async #commitForKeys(
    workspaceId: string,
    unit: Parameters<typeof makingStale>[0],
    entry: AuditEntry,
  ): Promise<boolean> {
    const stale = makingStale(unit, { kind: 'keys_of_workspace', workspaceId });
    return (await this.#parts.auditWriter.commit(stale, entry)) === 'stored';
  }
}

function isOfServiceAccount(key: UsedApiKey): key is ServiceAccountKey {
  return key.serviceAccountId !== undefined;
}

const COLUMNS = [
  'id',
  'workspace_id',
  'name',
  'role',
  'created_by',
  'created_at_ms',
  'disabled_at_ms',
] as const;

type OfAccount = Pick<ServiceAccountRow, 'workspace_id' | 'id'>;
type Ended = OfAccount & { readonly now_ms: number };

// The entry of the audit log comes first in each unit, which serializes the units of a workspace. So the counts are exact.
function queriesOf({ build }: Database) {
  const accounts = build.selectFrom('service_accounts').select(COLUMNS);
  const revoking = (it: { readonly now_ms: number; readonly workspace_id: string }) =>
    build
      .updateTable('api_keys')
      .set({ revoked_at_ms: it.now_ms })
      .where('workspace_id', '=', it.workspace_id)
      .where('revoked_at_ms', 'is', null);
  return {
    ofWorkspace: reading((it: { workspace_id: string }) =>
      accounts.where('workspace_id', '=', it.workspace_id).orderBy('id'),
    ),
    byId: reading((it: { id: string }) => accounts.where('id', '=', it.id)),
    add: writing((it: ServiceAccountRow) =>
      build.insertInto('service_accounts').values(slotsOf(it, COLUMNS)),
    ),
    /** Changes nothing, but locks the membership of the creator until the unit is stored. */
    byManager: writing(
      (it: Pick<ServiceAccountRow, 'workspace_id' | 'created_by'>) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.created_by)
          .where('role', 'in', PERMISSIONS['service_account.manage']),
      { unlessChanged: 'no_manager' },
    ),
    /** Changes nothing. Finds the new account unless another one has its name, or there are too many. */
    fits: writing(
      (it: Pick<ServiceAccountRow, 'workspace_id' | 'id' | 'name'>) =>
        build
          .updateTable('service_accounts')
          .set((row) => ({ name: row.ref('name') }))
          .where('id', '=', it.id)
          .where(
            (row) =>
              row
                .selectFrom('service_accounts as others')
                .select((of) => of.fn.countAll<number>().as('n'))
                .where('others.workspace_id', '=', it.workspace_id)
                .where('others.disabled_at_ms', 'is', null),
            '<=',
            MAX_SERVICE_ACCOUNTS,
          )
          .where((row) =>
            row.not(
              row.exists(
                row
                  .selectFrom('service_accounts as others')
                  .select('others.id')
                  .where('others.workspace_id', '=', it.workspace_id)
                  .where('others.disabled_at_ms', 'is', null)
                  .where('others.name', '=', it.name)
                  .where('others.id', '!=', it.id),
              ),
            ),
          ),
      { unlessChanged: 'refused' },
    ),
    /** Changes nothing. Finds the account if it works and its new key is not one too many. */
    takesKey: writing(
      (it: OfAccount) =>
        build
          .updateTable('service_accounts')
          .set((row) => ({ name: row.ref('name') }))
          .where('id', '=', it.id)
          .where('workspace_id', '=', it.workspace_id)
          .where('disabled_at_ms', 'is', null)
          .where(
            (row) =>
              row
                .selectFrom('api_keys')
                .select((of) => of.fn.countAll<number>().as('n'))
                .where('api_keys.workspace_id', '=', it.workspace_id)
                .where('api_keys.service_account_id', '=', it.id)
                .where('api_keys.revoked_at_ms', 'is', null),
            '<=',
            MAX_KEYS,
          ),
      { unlessChanged: 'refused' },
    ),
    disable: writing(
      (it: Ended) =>
        build
          .updateTable('service_accounts')
          .set({ disabled_at_ms: it.now_ms })
          .where('id', '=', it.id)
          .where('workspace_id', '=', it.workspace_id)
          .where('disabled_at_ms', 'is', null),
      { unlessChanged: 'unknown' },
    ),
    revokeKeys: writing((it: Ended) => revoking(it).where('service_account_id', '=', it.id)),
    revokeKey: writing(
      (it: Ended) => revoking(it).where('id', '=', it.id).where('service_account_id', 'is not', null),
      { unlessChanged: 'unknown' },
    ),
  };
}
