import { type ExecutionState, hasEnded } from '@svc/core/execution/state';
import { searchWords } from '@svc/core/output-search/words';
import { sql } from 'kysely';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import { firstIdOf, timeOfId } from './first-id.ts';
import { isOnSqlite, NUMBERS_PER_MS, workspaceWord } from './output-search.ts';

/** The mark when nothing older is left. */
const NOTHING_OLDER = '';
/** Executions of one step. Its commit and its reads delay no call. */
const STEP = 20;
/** The distance of the mark from the present: another hub may store an execution a moment after a newer one. */
const LAG_MS = 10_000;

/** The lines of an execution's stored output that are indexed. */
type LinesOf = (executionId: string, lastSeq: number) => Promise<string[]>;

interface Candidate {
  readonly id: string;
  readonly workspace_id: string;
  readonly state: ExecutionState;
  readonly last_seq: number;
}

/** The times whose executions are not indexed yet; both undefined: all that ended are indexed. */
export interface IndexProgress {
  /** Executions created before this time are not indexed yet. */
  readonly missingBeforeMs: number | undefined;
  /** Executions created from this time on are not indexed yet. */
  readonly missingFromMs: number | undefined;
}

/**
 * Fills the index of words in stored output, in small steps behind the executions: new ones upwards from a mark, and those from
 * before the index downwards. An execution that has not ended when a mark passes it is noted, and indexed after its end.
 *
 * A step is one transaction that moves the mark by compare-and-set. So the index continues after any crash, and several hubs may
 * fill it at once.
 */
export class OutputIndex {
  readonly #database: Database;
  readonly #linesOf: LinesOf;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, linesOf: LinesOf) {
    this.#database = database;
    this.#linesOf = linesOf;
    this.#queries = queriesOf(database);
  }

  /** Does one step; false when there is nothing to do now. */
  async step(nowMs: number): Promise<boolean> {
    const marks = await firstRow(this.#database, this.#queries.marks({}));
    if (marks === undefined) {
      await this.#database.commit([this.#queries.begin({ id: firstIdOf(nowMs - LAG_MS) })]);
      return true;
    }
    if (await this.#indexPending()) return true;
    const until = firstIdOf(nowMs - LAG_MS);
    const up = await this.#database.reader.rows(
      this.#queries.after({ id: marks.up_to, before_id: until, limit: STEP }),
    );
    const last = up.at(-1);
    if (last !== undefined)
      return await this.#index(up, this.#queries.moveUp({ from: marks.up_to, to: last.id }));
    if (marks.down_to === NOTHING_OLDER) return false;
    const down = await this.#database.reader.rows(this.#queries.before({ id: marks.down_to, limit: STEP }));
    return await this.#index(
      down,
      this.#queries.moveDown({ from: marks.down_to, to: down.at(-1)?.id ?? NOTHING_OLDER }),
    );
  }

  async progress(): Promise<IndexProgress> {
    const marks = await firstRow(this.#database, this.#queries.marks({}));
    if (marks === undefined) return { missingBeforeMs: undefined, missingFromMs: 0 };
    const [next] = await this.#database.reader.rows(
      this.#queries.after({ id: marks.up_to, before_id: LAST_ID, limit: 1 }),
    );
    return {
      missingBeforeMs: marks.down_to === NOTHING_OLDER ? undefined : timeOfId(marks.down_to),
      missingFromMs: next && timeOfId(next.id),
    };
  }

  async #indexPending(): Promise<boolean> {
    const ended = await this.#database.reader.rows(this.#queries.pendingEnded({ limit: STEP }));
    for (const one of ended)
      await this.#database.commit([
        this.#queries.forgetPending({ execution_id: one.id }),
        ...(await this.#entry(one)),
      ]);
    return ended.length > 0;
  }

  /** @param move of the mark, which is refused when another hub was first */
  async #index(found: readonly Candidate[], move: Statement<'moved'>): Promise<true> {
    const unit: Statement<'moved'>[] = [move];
    for (const one of found)
      unit.push(
        ...(hasEnded(one.state)
          ? await this.#entry(one)
          : [this.#queries.addPending({ execution_id: one.id })]),
      );
    await this.#database.commit(unit);
    return true;
  }

  async #entry({ id, workspace_id: workspaceId, last_seq: lastSeq }: Candidate): Promise<Statement<never>[]> {
    if (lastSeq === 0) return [];
    const words = searchWords((await this.#linesOf(id, lastSeq)).join('\n'));
    if (words.length === 0) return [];
    return this.#queries.add(id, [workspaceWord(workspaceId), ...words]);
  }
}

/** Greater than every id, because ids have hexadecimal digits. */
const LAST_ID = 'g';

function queriesOf(database: Database) {
  const { build } = database;
  const executions = () => build.selectFrom('executions').select(['id', 'workspace_id', 'state', 'last_seq']);
  return {
    add: isOnSqlite(database) ? addOnSqlite(database) : addOnPostgres(database),
    marks: reading(() => build.selectFrom('output_search_marks').select(['up_to', 'down_to'])),
    begin: writing((it: { id: string }) =>
      build
        .insertInto('output_search_marks')
        .values({ id: 1, up_to: it.id, down_to: it.id })
        .onConflict((row) => row.doNothing()),
    ),
    after: reading((it: { id: string; before_id: string; limit: number }) =>
      executions().where('id', '>', it.id).where('id', '<', it.before_id).orderBy('id').limit(it.limit),
    ),
    before: reading((it: { id: string; limit: number }) =>
      executions().where('id', '<', it.id).orderBy('id', 'desc').limit(it.limit),
    ),
    moveUp: writing(
      (it: { from: string; to: string }) =>
        build.updateTable('output_search_marks').set({ up_to: it.to }).where('up_to', '=', it.from),
      { unlessChanged: 'moved' },
    ),
    moveDown: writing(
      (it: { from: string; to: string }) =>
        build.updateTable('output_search_marks').set({ down_to: it.to }).where('down_to', '=', it.from),
      { unlessChanged: 'moved' },
    ),
    pendingEnded: reading((it: { limit: number }) =>
      build
        .selectFrom('output_search_pending')
        // SQLite keeps the order of a cross join. In an inner join it may read all executions to find none pending.
        .crossJoin('executions')
        .whereRef('executions.id', '=', 'output_search_pending.execution_id')
        .select(['executions.id', 'workspace_id', 'state', 'last_seq'])
        .where('state', 'not in', ['pending_approval', 'queued', 'running'])
        .limit(it.limit),
    ),
    addPending: writing((it: { execution_id: string }) =>
      build
        .insertInto('output_search_pending')
        .values({ execution_id: it.execution_id })
        .onConflict((row) => row.doNothing()),
    ),
    forgetPending: writing(
      (it: { execution_id: string }) =>
        build.deleteFrom('output_search_pending').where('execution_id', '=', it.execution_id),
      { unlessChanged: 'moved' },
    ),
  };
}

type Add = (id: string, words: readonly string[]) => Statement<never>[];

/**
 * The number of a document is the creation time and a part of its id. When two executions have the same number, the later one takes
 * the next that is free.
 */
function addOnSqlite({ build }: Database): Add {
  const number = writing((it: { id: string; number: number; end: number }) => {
    const text = sql`
      insert into output_search_documents (document, execution_id)
      select coalesce((
        select max(document) + 1 from output_search_documents where document >= ${it.number} and document < ${it.end}
      ), ${it.number}), ${it.id} where true on conflict do nothing`;
    return { compile: () => text.compile(build) };
  });
  const add = writing((it: { id: string; words: string }) => {
    const text = sql`
      insert into output_search (rowid, words)
      select document, ${it.words} from output_search_documents
      where execution_id = ${it.id} and document not in (select id from output_search_docsize)`;
    return { compile: () => text.compile(build) };
  });
  return (id, words) => {
    const first = timeOfId(id) * NUMBERS_PER_MS;
    return [number({ id, number: first, end: first + NUMBERS_PER_MS }), add({ id, words: words.join(' ') })];
  };
}

function addOnPostgres({ build }: Database): Add {
  const add = writing((it: { id: string; words: string }) => {
    const text = sql`
      insert into output_search (execution_id, words)
      select cast(${it.id} as text), array_to_tsvector(array(select jsonb_array_elements_text(cast(${it.words} as jsonb))))
      on conflict do nothing`;
    return { compile: () => text.compile(build) };
  });
  return (id, words) => [add({ id, words: JSON.stringify(words) })];
}
