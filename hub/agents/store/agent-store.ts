import { sql } from 'kysely';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf } from '../../platform/db/unit/record-of-row.ts';
import { withEvent } from '../../platform/db/unit/statement.ts';
import type { AgentHost, InstanceClaim, KnownAgent, OwnedInstance } from '../agent-ports.ts';
import type { AgentAddress, AgentProcess } from '../directory-ports.ts';
import type { AgentInstanceRow, AgentRow } from './table.ts';

interface At {
  readonly hubId: string;
  readonly nowMs: number;
}

/** The columns that a connection writes; the others belong to the journal. */
type Written = Omit<AgentRow, 'journal_seq' | 'journal_damaged_at_ms'>;
type Known = Omit<AgentRow, 'journal_seq'>;

/** One row per agent process, written when it connects and disconnects, and never in between. */
export class KnownAgents {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /**
   * Binds a process to the first token that claims it, for good, and returns the owner. A first claim inherits the permissions
   * of the process that it replaces when that one has the same token and name.
   */
  async claim(claim: InstanceClaim): Promise<OwnedInstance> {
    const { workspaceId: workspace_id, instance } = claim;
    const row = {
      ...{ workspace_id, instance, token_id: claim.tokenId, agent_name: claim.name },
      ...{ hostname: claim.hostname, first_seen_ms: claim.nowMs },
    };
    const found = () => firstRow(this.#database, this.#queries.owner({ workspace_id, instance }));
    const known = await found();
    if (known !== undefined) return ownedBy(known);
    const { replaces = null } = claim;
    const inheriting = replaces === null ? [] : [this.#queries.inheritDecisions({ ...row, replaces })];
    await this.#database.commit([this.#queries.claim({ ...row, replaces }), ...inheriting]);
    const claimed = await found();
    if (claimed === undefined) throw new Error(`the agent process ${instance} was claimed and is not there`);
    return ownedBy(claimed);
  }

  /** The token that a process belongs to; undefined: no token has claimed it. */
  async tokenOf(workspaceId: string, instance: string): Promise<string | undefined> {
    const owner = this.#queries.owner({ workspace_id: workspaceId, instance });
    return (await firstRow(this.#database, owner))?.token_id;
  }

  /** The processes that tokens of a workspace own, newest first, at most a thousand. */
  async owned(workspaceId: string): Promise<OwnedInstance[]> {
    const rows = await this.#database.rows(this.#queries.owned({ workspace_id: workspaceId }));
    return rows.map(ownedBy);
  }

  /** Records that the process is connected to this hub. */
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
    const { workspaceId, name: agentName } = process;
    const event = { kind: 'agent_connected', workspaceId, agentName } as const;
    await this.#database.commit([withEvent(this.#queries.connected(row), event)]);
  }

  /** Records that the connection to this hub has ended. */
  async gone({ workspaceId, name, instance }: AgentAddress, { hubId, nowMs }: At): Promise<void> {
    const which = { workspace_id: workspaceId, name, instance, hub_id: hubId };
    const event = { kind: 'agent_gone', workspaceId, agentName: name } as const;
    await this.#database.commit([withEvent(this.#queries.gone({ ...which, now_ms: nowMs }), event)]);
  }

  /** Called when a hub starts: agents of its previous process were last seen at the last heartbeat of that process. */
  async hubStarted(hubId: string): Promise<void> {
    await this.#database.commit([this.#queries.hubGone({ hub_id: hubId })]);
  }

  async ofWorkspace(workspaceId: string): Promise<KnownAgent[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(({ living_hub, ...row }) => ({ ...agentOf(row), hubId: living_hub ?? undefined }));
  }

  /** The number of running executions per agent process of a workspace, across all hubs. */
  async running(workspaceId: string) {
    const rows = await this.#database.reader.rows(this.#queries.running({ workspace_id: workspaceId }));
    return rows.flatMap(({ agent_name: name, agent_instance: instance, count }) =>
      name === null || instance === null ? [] : [{ name, instance, count: Number(count) }],
    );
  }
}

function agentOf(row: Known): KnownAgent {
  const { localOnly, ...agent } = recordOf(row);
  return { ...agent, isLocalOnly: localOnly === 1 };
}

function ownedBy(row: Owned): OwnedInstance {
  return { ...recordOf(row), isKnown: row.is_known === 1 };
}

const OWNED = ['instance', 'token_id', 'agent_name', 'hostname', 'is_known', 'first_seen_ms'] as const;
type Owned = Pick<AgentInstanceRow, (typeof OWNED)[number]>;
const MAX_OWNED = 1_000;

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

/** A first claim; `replaces` is the replaced process. */
type Claiming = Omit<AgentInstanceRow, 'is_known'> & { readonly replaces: string | null };

type Gone = Pick<AgentRow, (typeof KEY)[number]> & { readonly hub_id: string; readonly now_ms: number };

function queriesOf({ build }: Database) {
  const owned = build.selectFrom('agent_instances').select(OWNED);
  return {
    claim: writing((it: Claiming) =>
      build
        .insertInto('agent_instances')
        .values({
          ...slotsOf(it, ['workspace_id', 'instance', 'token_id', 'agent_name', 'hostname', 'first_seen_ms']),
          is_known: sql<number>`case when ${wasHereBeforeTokens(it, it.instance)}
            or ${wasHereBeforeTokens(it, it.replaces)} or ${replacesKnown(it)} then 1 else 0 end`,
        })
        .onConflict((conflict) => conflict.columns(['workspace_id', 'instance']).doNothing()),
    ),
    /** An admin's refusal of a process also applies to its replacement. */
    inheritDecisions: writing((it: Claiming) =>
      build
        .insertInto('secret_decisions')
        .columns(DECISION)
        .expression((row) =>
          row
            .selectFrom('secret_decisions as before')
            .select(['before.workspace_id', 'before.secret', 'before.kind'])
            .select(sql<string>`${it.instance}`.as('subject_id'))
            .select(['before.state', 'before.decided_by', 'before.decided_at_ms'])
            .where('before.workspace_id', '=', it.workspace_id)
            .where('before.kind', '=', 'process')
            .where('before.subject_id', '=', it.replaces)
            .where(isOwned(it, it.instance))
            .where(isOwned(it, it.replaces)),
        )
        .onConflict((conflict) => conflict.columns(DECISION.slice(0, 4)).doNothing()),
    ),
    owner: reading((it: Pick<AgentInstanceRow, 'workspace_id' | 'instance'>) =>
      owned.where('workspace_id', '=', it.workspace_id).where('instance', '=', it.instance),
    ),
    owned: reading((it: { workspace_id: string }) =>
      owned
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('first_seen_ms', 'desc')
        .orderBy('instance')
        .limit(MAX_OWNED),
    ),
    connected: writing((it: Written) =>
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
        .select([...KEY, ...CHANGING, 'journal_damaged_at_ms'])
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
        // The same expression as in the index; else the index is not used.
        .where(sql<boolean>`state in ('queued', 'running')`)
        .where(sql<boolean>`state = 'running'`)
        .groupBy(['agent_name', 'agent_instance']),
    ),
  };
}

const DECISION = [
  'workspace_id',
  'secret',
  'kind',
  'subject_id',
  'state',
  'decided_by',
  'decided_at_ms',
] as const;

/** Whether the token of the claim owns a process with this name. */
function isOwned(it: Claiming, instance: string | null) {
  return sql<boolean>`exists (select 1 from agent_instances as own where own.workspace_id = ${it.workspace_id}
    and own.instance = ${instance} and own.token_id = ${it.token_id} and own.agent_name = ${it.agent_name})`;
}

/** A stored process without an owner existed before tokens were bound. */
function wasHereBeforeTokens(it: Claiming, instance: string | null) {
  return sql<boolean>`(exists (select 1 from agents where agents.workspace_id = ${it.workspace_id}
      and agents.name = ${it.agent_name} and agents.instance = ${instance})
    and not exists (select 1 from agent_instances as claimed
      where claimed.workspace_id = ${it.workspace_id} and claimed.instance = ${instance}))`;
}

/** Whether the replaced process may have the secrets of its token. */
function replacesKnown(it: Claiming) {
  return sql<boolean>`exists (select 1 from agent_instances as old where old.workspace_id = ${it.workspace_id}
    and old.instance = ${it.replaces} and old.token_id = ${it.token_id} and old.agent_name = ${it.agent_name}
    and (old.is_known = 1 or exists (select 1 from agent_tokens as token
      where token.id = old.token_id and token.first_instance = old.instance)))`;
}
