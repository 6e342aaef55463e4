import { sql } from 'kysely';
import type { AgentAddress, AgentProcess } from '../../engine/ports/agent-directory.ts';
import type { AgentHost, KnownAgent, KnownAgents } from '../../engine/ports/agents.ts';
import type { Database } from '../database.ts';
import type { AgentRow } from '../tables.ts';
import { reading, slotsOf, writing } from '../unit/precompile.ts';

interface At {
  readonly hubId: string;
  readonly nowMs: number;
}

/** One row for each agent process that was ever here: written when it comes and when it goes, never in between. */
export class StoredAgents implements KnownAgents {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async connected(
    process: Omit<AgentProcess, 'boot' | 'running'>,
    host: AgentHost,
    { hubId, nowMs }: At,
  ): Promise<void> {
    const row = {
      workspace_id: process.workspaceId,
      name: process.name,
      instance: process.instance,
      version: host.version,
      hostname: host.hostname,
      os: host.os,
      arch: host.arch,
      local_only: process.isLocalOnly ? 1 : 0,
      hub_id: hubId,
      connected_at_ms: nowMs,
      seen_at_ms: nowMs,
    };
    await this.#database.commit([this.#queries.connected(row)]);
  }

  async gone({ workspaceId, name, instance }: AgentAddress, { hubId, nowMs }: At): Promise<void> {
    const which = { workspace_id: workspaceId, name, instance, hub_id: hubId };
    await this.#database.commit([this.#queries.gone({ ...which, now_ms: nowMs })]);
  }

  async hubStarted(hubId: string): Promise<void> {
    await this.#database.commit([this.#queries.hubGone({ hub_id: hubId })]);
  }

  async ofWorkspace(workspaceId: string): Promise<KnownAgent[]> {
    const rows = await this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(({ living_hub, ...row }) => ({ ...agentOf(row), hubId: living_hub ?? undefined }));
  }

  async running(workspaceId: string) {
    const rows = await this.#database.rows(this.#queries.running({ workspace_id: workspaceId }));
    return rows.flatMap(({ agent_name: name, agent_instance: instance, count }) =>
      name === null || instance === null ? [] : [{ name, instance, count: Number(count) }],
    );
  }
}

function agentOf(row: AgentRow): KnownAgent {
  return {
    workspaceId: row.workspace_id,
    name: row.name,
    instance: row.instance,
    version: row.version,
    hostname: row.hostname,
    os: row.os,
    arch: row.arch,
    isLocalOnly: row.local_only === 1,
    hubId: row.hub_id ?? undefined,
    connectedAtMs: row.connected_at_ms,
    seenAtMs: row.seen_at_ms,
  };
}

const KEY = ['workspace_id', 'name', 'instance'] as const;
const CHANGING = [
  'version',
  'hostname',
  'os',
  'arch',
  'local_only',
  'hub_id',
  'connected_at_ms',
  'seen_at_ms',
] as const;

type Gone = Pick<AgentRow, (typeof KEY)[number]> & { readonly hub_id: string; readonly now_ms: number };

function queriesOf({ build }: Database) {
  return {
    connected: writing((it: AgentRow) =>
      build
        .insertInto('agents')
        .values(slotsOf(it, [...KEY, ...CHANGING]))
        .onConflict((conflict) => conflict.columns([...KEY]).doUpdateSet(slotsOf(it, CHANGING))),
    ),
    gone: writing((it: Gone) =>
      build
        .updateTable('agents')
        .set({ hub_id: null, seen_at_ms: it.now_ms })
        .where('workspace_id', '=', it.workspace_id)
        .where('name', '=', it.name)
        .where('instance', '=', it.instance)
        .where('hub_id', '=', it.hub_id),
    ),
    hubGone: writing((it: { hub_id: string }) =>
      build
        .updateTable('agents')
        .set((row) => ({
          hub_id: null,
          seen_at_ms: row.fn.coalesce(
            row
              .selectFrom('hubs')
              .select('beat_at_ms')
              .where('hubs.id', '=', it.hub_id)
              .whereRef('beat_at_ms', '>', 'seen_at_ms'),
            'seen_at_ms',
          ),
        }))
        .where('hub_id', '=', it.hub_id),
    ),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('agents')
        .leftJoin('hubs', 'hubs.id', 'agents.hub_id')
        .select([...KEY, ...CHANGING])
        .select('hubs.id as living_hub')
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('name')
        .orderBy('instance'),
    ),
    running: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('executions')
        .select(['agent_name', 'agent_instance'])
        .select((row) => row.fn.countAll().as('count'))
        .where('workspace_id', '=', it.workspace_id)
        // In the words of its index, or the index is not used.
        .where(sql<boolean>`state in ('queued', 'running')`)
        .where(sql<boolean>`state = 'running'`)
        .groupBy(['agent_name', 'agent_instance']),
    ),
  };
}
