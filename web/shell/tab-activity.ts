import { MAX_FAILED } from '../first-reads.ts';

/** The prefix of a page's title: "1 failed, 2 running"; empty: nothing runs and nothing failed. */
export function activityWords(running: ListPage, failed: number): string {
  const words = [
    failed > 0 && `${failed < MAX_FAILED ? failed : `${MAX_FAILED}+`} failed`,
    running.items.length > 0 && `${countOf(running)} running`,
  ];
  return words.filter(Boolean).join(', ');
}

/** The beginning of a list. */
interface ListPage {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/** How many a list has: "3", or "20+" where only its first page was read. */
export function countOf({ items, next_cursor: next }: ListPage): string {
  return next === null ? String(items.length) : `${items.length}+`;
}

interface Listed {
  readonly execution_id: string;
}

export function idsOf(executions: readonly Listed[]): ReadonlySet<string> {
  return new Set(executions.map(({ execution_id: id }) => id));
}

/** How many of the failed executions are not among the known ones; undefined: none are known yet, so none counts. */
export function newFailures(failed: readonly Listed[], known: ReadonlySet<string> | undefined): number {
  return known === undefined ? 0 : failed.filter(({ execution_id: id }) => !known.has(id)).length;
}
