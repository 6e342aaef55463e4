import type { AlertEvent } from '@svc/core/alert/event';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { PublishedEvents } from '../../alerts/store/published-events.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { JournalMark } from '../agent-ports.ts';
import type { AgentAddress } from '../directory-ports.ts';

interface Key {
  readonly workspace_id: string;
  readonly name: string;
  readonly instance: string;
}

/** Journal marks, kept in the rows of agents and hosts. */
export class AgentJournals {
  readonly #database: Database;
  readonly #events: Pick<PublishedEvents, 'statementFor'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, events: Pick<PublishedEvents, 'statementFor'>) {
    this.#database = database;
    this.#events = events;
    this.#queries = queriesOf(database);
  }

  /** The highest stored number; 0 for an unknown process. */
  async seqOf(address: AgentAddress): Promise<number> {
    const { seqOfHost, seqOfAgent } = this.#queries;
    const row = await (isHost(address)
      ? firstRow(this.#database, seqOfHost({ instance: address.instance }))
      : firstRow(this.#database, seqOfAgent(keyOf(address))));
    return Number(row?.journal_seq ?? 0);
  }

  /** Stores a number, unless a higher one is stored. */
  async mark(mark: JournalMark): Promise<void> {
    await this.#database.commit([this.marking(mark)]);
  }

  /** The statement that stores a mark, for the unit of work of an execution's end. */
  marking({ seq, ...address }: JournalMark): Statement<never> {
    const { markHost, markAgent } = this.#queries;
    return isHost(address)
      ? markHost({ instance: address.instance, seq })
      : markAgent({ ...keyOf(address), seq });
  }

  /** Records that the process began as a new instance, once, with its alert; false when it is recorded already. */
  async damaged(address: AgentAddress, atMs: number, events: readonly AlertEvent[]): Promise<boolean> {
    const { damagedHost, damagedAgent } = this.#queries;
    const statement = isHost(address)
      ? damagedHost({ instance: address.instance, at_ms: atMs })
      : damagedAgent({ ...keyOf(address), at_ms: atMs });
    const statementFor = events.map((event) => this.#events.statementFor(event));
    return (await this.#database.commit([statement, ...statementFor])) === 'stored';
  }
}

/** A name that no agent of a workspace may have. */
function isHost({ name }: AgentAddress): boolean {
  return name === HOSTED_AGENT;
}

function keyOf({ workspaceId, name, instance }: AgentAddress): Key {
  return { workspace_id: workspaceId, name, instance };
}

const KNOWN = { unlessChanged: 'known' } as const;

function queriesOf({ build }: Database) {
  return {
    seqOfAgent: reading((it: Key) =>
      build
        .selectFrom('agents')
        .select('journal_seq')
        .where('workspace_id', '=', it.workspace_id)
        .where('name', '=', it.name)
        .where('instance', '=', it.instance),
    ),
    seqOfHost: reading((it: Pick<Key, 'instance'>) =>
      build.selectFrom('runners').select('journal_seq').where('instance', '=', it.instance),
    ),
    markAgent: writing((it: Key & { readonly seq: number }) =>
      build
        .updateTable('agents')
        .set({ journal_seq: it.seq })
        .where('workspace_id', '=', it.workspace_id)
        .where('name', '=', it.name)
        .where('instance', '=', it.instance)
        .where(({ eb, or }) => or([eb('journal_seq', 'is', null), eb('journal_seq', '<', it.seq)])),
    ),
    markHost: writing((it: Pick<Key, 'instance'> & { readonly seq: number }) =>
      build
        .updateTable('runners')
        .set({ journal_seq: it.seq })
        .where('instance', '=', it.instance)
        .where(({ eb, or }) => or([eb('journal_seq', 'is', null), eb('journal_seq', '<', it.seq)])),
    ),
    damagedAgent: writing(
      (it: Key & { readonly at_ms: number }) =>
        build
          .updateTable('agents')
          .set({ journal_damaged_at_ms: it.at_ms })
          .where('workspace_id', '=', it.workspace_id)
          .where('name', '=', it.name)
          .where('instance', '=', it.instance)
          .where('journal_damaged_at_ms', 'is', null),
      KNOWN,
    ),
    damagedHost: writing(
      (it: Pick<Key, 'instance'> & { readonly at_ms: number }) =>
        build
          .updateTable('runners')
          .set({ journal_damaged_at_ms: it.at_ms })
          .where('instance', '=', it.instance)
          .where('journal_damaged_at_ms', 'is', null),
      KNOWN,
    ),
  };
}
