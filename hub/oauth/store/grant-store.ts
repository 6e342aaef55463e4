import type { AuditEntry } from '@svc/core/audit/entry';
import type { Role } from '@svc/core/workspace/permissions';
import type { ApiKey } from '../../accounts/account-ports.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale } from '../../platform/db/unit/statement.ts';
import type { Grant, GrantNow, GrantToken, PresentedToken } from '../oauth-ports.ts';
import type { OAuthGrantRow, OAuthTokenRow } from './table.ts';

interface Parts {
  readonly auditWriter: AuditWriter;
  readonly credentials: Pick<Credentials, 'addingApiKey' | 'revokingApiKey'>;
}

/** The grants of AI clients and their tokens. A grant that was redeemed has an API key with its id. */
export class Grants {
  readonly #database: Database;
  readonly #parts: Parts;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, parts: Parts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = queriesOf(database);
  }

  async add(grant: Grant, entry: AuditEntry): Promise<void> {
    await this.#parts.auditWriter.commit([this.#queries.add(rowOf(grant))], entry);
  }

  /** Records that a user refused a client. */
  async noteDenied(entry: AuditEntry): Promise<void> {
    await this.#parts.auditWriter.commit([], entry);
  }

  async byCode(codeHash: string): Promise<GrantNow | undefined> {
    const row = await firstRow(this.#database, this.#queries.byCode({ code_hash: codeHash }));
    return row && grantOf(row);
  }

  async byToken(hash: string): Promise<PresentedToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.token({ hash }));
    if (row === undefined) return undefined;
    const {
      token_kind: kind,
      token_generation: generation,
      token_expires_at_ms: expiresAtMs,
      ...joined
    } = row;
    const grant = grantOf(joined);
    const { id: grantId, workspaceId } = grant;
    const token = { hash, grantId, workspaceId, kind, generation, expiresAtMs };
    return { token, grant, role: joined.role ?? undefined };
  }

  /** The grants of a workspace that were redeemed and not revoked, the newest first. */
  async ofWorkspace(workspaceId: string): Promise<GrantNow[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(grantOf).filter(({ isRevoked }) => !isRevoked);
  }

  /**
   * Uses the code: stores the key and the first tokens in one transaction. `used`: another request used the code first.
   * `no_member`: the user is no longer a member.
   */
  async redeem(
    grant: Grant,
    key: ApiKey,
    tokens: readonly GrantToken[],
  ): Promise<'stored' | 'used' | 'no_member'> {
    const { id, expiresAtMs } = grant;
    const unit = [
      this.#queries.redeem({ id, expires_at_ms: expiresAtMs }),
      ...this.#parts.credentials.addingApiKey(key),
      ...tokens.map((token) => this.#queries.addToken(rowOf(token))),
    ];
    return await this.#database.commit(unit);
  }

  /** Replaces the refresh token. Compare-and-set: `used` when another request used it first. */
  async refresh(grant: Grant, tokens: readonly GrantToken[]): Promise<'stored' | 'used'> {
    const { id, generation, expiresAtMs } = grant;
    const unit = [
      this.#queries.refresh({ id, before: generation - 1, generation, expires_at_ms: expiresAtMs }),
      ...tokens.map((token) => this.#queries.addToken(rowOf(token))),
    ];
    return await this.#database.commit(unit);
  }

  /** Revokes the grant with its key and all its tokens; revoking twice is not an error. */
  async revoke({ id, workspaceId }: Grant, entry: AuditEntry): Promise<void> {
    const revocation = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    const unit = [this.#queries.revoke({ id }), this.#parts.credentials.revokingApiKey(revocation)];
    await this.#parts.auditWriter.commit(makingStale(unit, { kind: 'key', id }), entry);
  }
}

const COLUMNS = [
  'id',
  'workspace_id',
  'user_id',
  'client_id',
  'client_name',
  'redirect_uri',
  'resource',
  'scopes',
  'state',
  'code_hash',
  'code_challenge',
  'code_expires_at_ms',
  'generation',
  'created_at_ms',
  'expires_at_ms',
] as const satisfies readonly (keyof OAuthGrantRow)[];
const TOKEN_COLUMNS = ['hash', 'grant_id', 'workspace_id', 'kind', 'generation', 'expires_at_ms'] as const;

type JoinedRow = OAuthGrantRow & {
  readonly key_revoked_at_ms: number | null;
  readonly key_used_at_ms: number | null;
  /** Null: the user is no longer a member. */
  readonly role: Role | null;
};

function grantOf({ key_revoked_at_ms, key_used_at_ms, role, ...row }: JoinedRow): GrantNow {
  return {
    ...recordOf(row),
    isRevoked: row.state === 'revoked' || key_revoked_at_ms !== null || role === null,
    usedAtMs: key_used_at_ms ?? undefined,
  };
}

function queriesOf({ build }: Database) {
  const grants = build
    .selectFrom('oauth_grants as g')
    .leftJoin('api_keys as k', 'k.id', 'g.id')
    .leftJoin('members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'g.workspace_id').onRef('m.user_id', '=', 'g.user_id'),
    )
    .select(COLUMNS.map((column) => `g.${column}` as const))
    .select(['k.revoked_at_ms as key_revoked_at_ms', 'k.used_at_ms as key_used_at_ms', 'm.role']);
  return {
    byCode: reading((it: { code_hash: string }) => grants.where('g.code_hash', '=', it.code_hash)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      grants
        .where('g.workspace_id', '=', it.workspace_id)
        .where('g.state', '=', 'active')
        .orderBy('g.id', 'desc'),
    ),
    token: reading((it: { hash: string }) =>
      grants
        .innerJoin('oauth_tokens as t', 't.grant_id', 'g.id')
        .select([
          't.kind as token_kind',
          't.generation as token_generation',
          't.expires_at_ms as token_expires_at_ms',
        ])
        .where('t.hash', '=', it.hash),
    ),
    add: writing((it: OAuthGrantRow) => build.insertInto('oauth_grants').values(slotsOf(it, COLUMNS))),
    addToken: writing((it: OAuthTokenRow) =>
      build.insertInto('oauth_tokens').values(slotsOf(it, TOKEN_COLUMNS)),
    ),
    redeem: writing(
      (it: { id: string; expires_at_ms: number }) =>
        build
          .updateTable('oauth_grants')
          .set({ state: 'active', generation: 1, expires_at_ms: it.expires_at_ms })
          .where('id', '=', it.id)
          .where('state', '=', 'issued'),
      { unlessChanged: 'used' },
    ),
    refresh: writing(
      (it: { id: string; before: number; generation: number; expires_at_ms: number }) =>
        build
          .updateTable('oauth_grants')
          .set({ generation: it.generation, expires_at_ms: it.expires_at_ms })
          .where('id', '=', it.id)
          .where('state', '=', 'active')
          .where('generation', '=', it.before),
      { unlessChanged: 'used' },
    ),
    revoke: writing((it: { id: string }) =>
      build.updateTable('oauth_grants').set({ state: 'revoked' }).where('id', '=', it.id),
    ),
  };
}
