import type { AlertEvent } from '@svc/core/alert/event';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { ToldEvents } from '../../alerts/store/published-events.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { AgentAddress } from '../directory-ports.ts';
import type { JournalMark } from '../journal-ports.ts';

interface Key {
  readonly workspace_id: string;
  readonly name: string;
  readonly instance: string;
}

/** In the rows of agents and of hosts. */
export class AgentJournals {
  readonly #database: Database;
  readonly #events: Pick<ToldEvents, 'telling'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, events: Pick<ToldEvents, 'telling'>) {
    this.#database = database;
    this.#events = events;
    this.#queries = queriesOf(database);
  }

  /** The highest number that was stored; 0 for a process that is not known. */
  async seqOf(address: AgentAddress): Promise<number> {
    const { seqOfHost, seqOfAgent } = this.#queries;
    const row = await (isHost(address)
      ? firstRow(this.#database, seqOfHost({ instance: address.instance }))
      : firstRow(this.#database, seqOfAgent(keyOf(address))));
    return Number(row?.journal_seq ?? 0);
  }

  /** Stores a number, unless there is a higher one. */
  async mark(mark: JournalMark): Promise<void> {
    await this.#database.commit([this.marking(mark)]);
  }

  /** The statement that stores it, for the unit of an end. */
  marking({ seq, ...address }: JournalMark): Statement<never> {
    const { markHost, markAgent } = this.#queries;
    return isHost(address)
      ? markHost({ instance: address.instance, seq })
      : markAgent({ ...keyOf(address), seq });
  }

  /** The process began as a new instance. Stored once, with its alert; false when it is on record already. */
  async damaged(address: AgentAddress, atMs: number, events: readonly AlertEvent[]): Promise<boolean> {
    const { damagedHost, damagedAgent } = this.#queries;
    const statement = isHost(address)
      ? damagedHost({ instance: address.instance, at_ms: atMs })
      : damagedAgent({ ...keyOf(address), at_ms: atMs });
    const telling = events.map((event) => this.#events.telling(event));
    return (await this.#database.commit([statement, ...telling])) === 'stored';
  }
}

/** No agent of a workspace may have this name. */
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
