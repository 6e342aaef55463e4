import type { AuditEntry } from '@svc/core/audit/entry';
import type { AgentToken } from '../../engine/ports/accounts.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { type Database, firstRow } from '../database.ts';
import type { AgentTokenRow } from '../tables.ts';
import { reading, slotsOf, writing } from '../unit/precompile.ts';

export class AgentTokens {
  readonly #database: Database;
  readonly #trail: AuditTrail;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, trail: AuditTrail) {
    this.#database = database;
    this.#trail = trail;
    this.#queries = queriesOf(database);
  }

  async byHash(hash: string): Promise<AgentToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.byHash({ hash }));
    return row && tokenOf(row);
  }

  async of(workspaceId: string): Promise<AgentToken[]> {
    const rows = await this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(tokenOf);
  }

  async add(token: AgentToken, entry: AuditEntry): Promise<void> {
    await this.#trail.commit([this.#queries.add(rowOf(token))], entry);
  }

  async revokedSince(sinceMs: number): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.revokedSince({ since_ms: sinceMs }));
    return rows.map(({ id }) => id);
  }

  async revoke(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const revocation = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    return (await this.#trail.commit([this.#queries.revoke(revocation)], entry)) === 'stored';
  }
}

function tokenOf(row: AgentTokenRow): AgentToken {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    name: row.name,
    hash: row.hash,
    last4: row.last4,
    agentName: row.agent_name ?? undefined,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  };
}

function rowOf(token: AgentToken): AgentTokenRow {
  return {
    id: token.id,
    workspace_id: token.workspaceId,
    created_by: token.createdBy,
    name: token.name,
    hash: token.hash,
    last4: token.last4,
    agent_name: token.agentName ?? null,
    created_at_ms: token.createdAtMs,
    revoked_at_ms: token.revokedAtMs ?? null,
  };
}

const COLUMNS = [
  'id',
  'workspace_id',
  'created_by',
  'name',
  'hash',
  'last4',
  'agent_name',
  'created_at_ms',
  'revoked_at_ms',
] as const;

function queriesOf({ build }: Database) {
  const tokens = build.selectFrom('agent_tokens').select(COLUMNS);
  return {
    byHash: reading((it: { hash: string }) => tokens.where('hash', '=', it.hash)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      tokens.where('workspace_id', '=', it.workspace_id).orderBy('id'),
    ),
    // The agents of a workspace that is being deleted are told first to end what they run.
    revokedSince: reading((it: { since_ms: number }) =>
      build
        .selectFrom('agent_tokens')
        .innerJoin('workspaces', 'workspaces.id', 'agent_tokens.workspace_id')
        .select('agent_tokens.id')
        .where('agent_tokens.revoked_at_ms', '>=', it.since_ms)
        .where('workspaces.deleted_at_ms', 'is', null),
    ),
    add: writing((it: AgentTokenRow) => build.insertInto('agent_tokens').values(slotsOf(it, COLUMNS))),
    // The first time stays: revoking twice is not an error.
    revoke: writing(
      (it: { workspace_id: string; id: string; now_ms: number }) =>
        build
          .updateTable('agent_tokens')
          .set((row) => ({ revoked_at_ms: row.fn.coalesce('revoked_at_ms', row.val(it.now_ms)) }))
          .where('workspace_id', '=', it.workspace_id)
          .where('id', '=', it.id),
      { unlessChanged: 'unknown' },
    ),
  };
}
