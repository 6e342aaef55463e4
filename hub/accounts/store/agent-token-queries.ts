import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { AgentToken } from '../account-ports.ts';
import type { AgentTokenRow } from './table.ts';

export function agentTokenOf(row: AgentTokenRow): AgentToken {
  const { agentName: _, ...token } = recordOf(row);
  return { ...token, agentNames: namesOf(row), isPool: row.is_pool === 1 };
}

function namesOf({ agent_name, agent_names }: AgentTokenRow): readonly string[] {
  if (agent_names !== null) return JSON.parse(agent_names) as string[];
  return agent_name === null ? [] : [agent_name];
}

export function rowOfToken({ agentNames, isPool, enrolUntilMs, ...token }: AgentToken): AgentTokenRow {
  const [name = null] = agentNames;
  return {
    ...rowOf(token),
    // A hub of the previous version has one name per token, and lets a token with several names use any of them.
    agent_name: agentNames.length > 1 ? null : name,
    agent_names: agentNames.length > 1 ? JSON.stringify(agentNames) : null,
    is_pool: isPool ? 1 : 0,
    enrol_until_ms: enrolUntilMs ?? null,
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
  'enrol_until_ms',
] as const;

interface Binding {
  readonly workspace_id: string;
  readonly id: string;
  readonly agent_name: string;
  readonly instance: string;
  readonly now_ms: number;
}

interface Enrolment {
  readonly id: string;
  readonly old_hash: string;
  readonly hash: string;
  readonly last4: string;
  readonly now_ms: number;
}

export function agentTokenQueries({ build }: Database) {
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
    enrol: writing(
      (it: Enrolment) =>
        build
          .updateTable('agent_tokens')
          .set({ hash: it.hash, last4: it.last4, enrol_until_ms: null })
          .where('id', '=', it.id)
          .where('hash', '=', it.old_hash)
          .where('enrol_until_ms', '>', it.now_ms)
          .where('revoked_at_ms', 'is', null),
      { unlessChanged: 'used' },
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
