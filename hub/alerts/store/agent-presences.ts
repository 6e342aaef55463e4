import type { AlertEvent } from '@svc/core/alert/event';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { AgentPresence } from '../alert-ports.ts';
import type { PublishedEvents } from './published-events.ts';
import type { AgentPresenceRow } from './table.ts';

const COLUMNS = ['workspace_id', 'agent_name', 'state', 'processes', 'since_ms', 'revision'] as const;

export class AgentPresences {
  readonly #database: Database;
  readonly #events: Pick<PublishedEvents, 'statementFor'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, events: Pick<PublishedEvents, 'statementFor'>) {
    this.#database = database;
    this.#events = events;
    this.#queries = queriesOf(database);
  }

  async find(workspaceId: string, agentName: string): Promise<AgentPresence | undefined> {
    const key = { workspace_id: workspaceId, agent_name: agentName };
    const row = await firstRow(this.#database, this.#queries.find(key));
    return row && presenceOf(row);
  }

  /** Replaces the previous revision and stores the event in the same transaction; false when another hub was first. */
  async store(presence: AgentPresence, event: AlertEvent | undefined): Promise<boolean> {
    const { add, change } = this.#queries;
    const row = rowOf({ ...presence, processes: JSON.stringify(presence.processes) });
    const outcome = await this.#database.commit<'changed'>([
      // The first revision is inserted; each later one updates the row.
      row.revision === 0 ? add(row) : change({ ...row, decided_on: row.revision - 1 }),
      ...(event === undefined ? [] : [this.#events.statementFor(event)]),
    ]);
    return outcome === 'stored';
  }

  /** The presences that have been offline since `untilMs` or longer. */
  async offlineSince(untilMs: number): Promise<AgentPresence[]> {
    return (await this.#database.rows(this.#queries.away({ until_ms: untilMs }))).map(presenceOf);
  }

  async online(): Promise<AgentPresence[]> {
    return (await this.#database.rows(this.#queries.online({}))).map(presenceOf);
  }
}

function presenceOf(row: AgentPresenceRow): AgentPresence {
  return { ...recordOf(row), processes: JSON.parse(row.processes) as AgentPresence['processes'] };
}

type Key = Pick<AgentPresenceRow, 'workspace_id' | 'agent_name'>;

function queriesOf({ build }: Database) {
  const presences = build.selectFrom('agent_presences').select(COLUMNS);
  return {
    find: reading((it: Key) =>
      presences.where('workspace_id', '=', it.workspace_id).where('agent_name', '=', it.agent_name),
    ),
    away: reading((it: { until_ms: number }) =>
      presences.where('state', '=', 'away').where('since_ms', '<=', it.until_ms),
    ),
    online: reading(() => presences.where('state', '=', 'online')),
    add: writing((it: AgentPresenceRow) => build.insertInto('agent_presences').values(slotsOf(it, COLUMNS)), {
      ifExists: 'changed',
    }),
    change: writing(
      (it: AgentPresenceRow & { readonly decided_on: number }) =>
        build
          .updateTable('agent_presences')
          .set(slotsOf(it, ['state', 'processes', 'since_ms', 'revision']))
          .where('workspace_id', '=', it.workspace_id)
          .where('agent_name', '=', it.agent_name)
          .where('revision', '=', it.decided_on),
      { unlessChanged: 'changed' },
    ),
  };
}
