import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { AgentToken, TokenBinding } from '../account-ports.ts';
import type { AgentTokenRow } from './table.ts';

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
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(tokenOf);
  }

  async add(token: AgentToken, entry: AuditEntry): Promise<void> {
    await this.#trail.commit([this.#queries.add(rowOf(token))], entry);
  }

  async bind(
    { id, workspaceId }: AgentToken,
    { agentName, instance }: TokenBinding,
    entry: AuditEntry,
  ): Promise<'stored' | 'bound_already' | 'name_taken'> {
    const it = { workspace_id: workspaceId, id, agent_name: agentName, instance, now_ms: entry.atMs };
    // The audit entry comes first, which serializes the bindings of one workspace.
    return await this.#trail.commit([this.#queries.bind(it), this.#queries.isOnlyOne(it)], entry);
  }

  async noteFirstInstance(id: string, instance: string): Promise<void> {
    await this.#database.commit([this.#queries.noteFirstInstance({ id, instance })]);
  }

  async noteNameRefused(entry: AuditEntry): Promise<void> {
    await this.#trail.commit([], entry);
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
    agentNames: namesOf(row),
    boundAtMs: row.bound_at_ms ?? undefined,
    firstInstance: row.first_instance ?? undefined,
    isPool: row.is_pool === 1,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  };
}

function namesOf({ agent_name, agent_names }: AgentTokenRow): readonly string[] {
  if (agent_names !== null) return JSON.parse(agent_names) as string[];
  return agent_name === null ? [] : [agent_name];
}

function rowOf(token: AgentToken): AgentTokenRow {
  return {
    id: token.id,
    workspace_id: token.workspaceId,
    created_by: token.createdBy,
    name: token.name,
    hash: token.hash,
    last4: token.last4,
    // A hub of the previous version has one name per token, and lets a token with several names use any of them.
    agent_name: token.agentNames.length > 1 ? null : (token.agentNames[0] ?? null),
    agent_names: token.agentNames.length > 1 ? JSON.stringify(token.agentNames) : null,
    bound_at_ms: token.boundAtMs ?? null,
    first_instance: token.firstInstance ?? null,
    is_pool: token.isPool ? 1 : 0,
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
  'agent_names',
  'bound_at_ms',
  'first_instance',
  'is_pool',
] as const;

interface Binding {
  readonly workspace_id: string;
  readonly id: string;
  readonly agent_name: string;
  readonly instance: string;
  readonly now_ms: number;
}

function queriesOf({ build }: Database) {
  const tokens = build.selectFrom('agent_tokens').select(COLUMNS);
  return {
    byHash: reading((it: { hash: string }) => tokens.where('hash', '=', it.hash)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      tokens.where('workspace_id', '=', it.workspace_id).orderBy('id'),
    ),
    // The agents of a workspace that is being deleted first stop their executions.
    revokedSince: reading((it: { since_ms: number }) =>
      build
        .selectFrom('agent_tokens')
        .innerJoin('workspaces', 'workspaces.id', 'agent_tokens.workspace_id')
        .select('agent_tokens.id')
        .where('agent_tokens.revoked_at_ms', '>=', it.since_ms)
        .where('workspaces.deleted_at_ms', 'is', null),
    ),
    add: writing((it: AgentTokenRow) => build.insertInto('agent_tokens').values(slotsOf(it, COLUMNS))),
    bind: writing(
      (it: Binding) =>
        build
          .updateTable('agent_tokens')
          .set((row) => ({
            agent_name: it.agent_name,
            bound_at_ms: it.now_ms,
            first_instance: row.fn.coalesce('first_instance', row.val(it.instance)),
          }))
          .where('id', '=', it.id)
          .where('agent_name', 'is', null)
          .where('agent_names', 'is', null)
          .where('revoked_at_ms', 'is', null),
      { unlessChanged: 'bound_already' },
    ),
    /** Changes nothing. It fails the unit of work when another valid token has the name. */
    isOnlyOne: writing(
      (it: Binding) =>
        build
          .updateTable('agent_tokens')
          .set((row) => ({ bound_at_ms: row.ref('bound_at_ms') }))
          .where('id', '=', it.id)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('agent_tokens as other')
                  .select('other.id')
                  .where('other.workspace_id', '=', it.workspace_id)
                  .where('other.agent_name', '=', it.agent_name)
                  .where('other.id', '<>', it.id)
                  .where('other.revoked_at_ms', 'is', null),
              ),
            ),
          ),
      { unlessChanged: 'name_taken' },
    ),
    noteFirstInstance: writing((it: { id: string; instance: string }) =>
      build
        .updateTable('agent_tokens')
        .set({ first_instance: it.instance })
        .where('id', '=', it.id)
        .where('first_instance', 'is', null),
    ),
    // The first time stays; revoking twice is not an error.
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
