/** The prefix of a page's title: "1 failed, 2 running"; empty: nothing runs and nothing failed. */
export function activityWords(running: number, failed: number): string {
  const words = [failed > 0 && `${failed} failed`, running > 0 && `${running} running`];
  return words.filter(Boolean).join(', ');
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
