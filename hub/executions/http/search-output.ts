import { matchingLine } from '@svc/core/output-search/words';
import { refuse } from '@svc/core/refusal';
import { time } from '../../platform/http/json-response.ts';
import type { PageOfItems } from '../../platform/page-of-items.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Execution, ExecutionFilter, ExecutionLedger } from '../execution-ports.ts';
import { indexedLines } from '../indexed-lines.ts';
import type { OutputIndex } from '../store/output-index.ts';
import type { OutputSearch } from '../store/output-search.ts';

/** The most executions in one answer. Few, because the line of each is read from its output. */
const MAX_FOUND = 20;
/** The time for the lines of one answer. Executions beyond it come without a line. */
const LINES_MS = 50;

export interface SearchOutputDeps {
  readonly ledger: Pick<ExecutionLedger, 'output'>;
  readonly outputSearch: OutputSearch;
  readonly outputIndex: Pick<OutputIndex, 'progress'>;
  readonly settings: Settings;
}

interface FoundOutput {
  readonly page: PageOfItems<Execution>;
  /** The line to show for each execution of the page. */
  readonly lines: readonly (string | undefined)[];
  /** What is not indexed yet. */
  readonly unsearched: { readonly unsearched_before?: string; readonly unsearched_from?: string };
}

/** Searches stored output. Throws `not_supported` where the operator has switched the index off. */
export async function searchOutput(
  deps: SearchOutputDeps,
  filter: ExecutionFilter,
  query: string,
): Promise<FoundOutput> {
  if (!deps.settings.hasOutputSearch)
    throw refuse('not_supported', 'the output is not indexed: SVC_OUTPUT_SEARCH is off at this hub');
  const page = await deps.outputSearch.page({ ...filter, limit: Math.min(filter.limit, MAX_FOUND) }, query);
  const { missingBeforeMs, missingFromMs } = await deps.outputIndex.progress();
  const unsearched = {
    ...(missingBeforeMs !== undefined && { unsearched_before: time(missingBeforeMs) }),
    ...(missingFromMs !== undefined && { unsearched_from: time(missingFromMs) }),
  };
  return { page, lines: await linesOf(deps, page.items, query), unsearched };
}

async function linesOf(
  { ledger }: SearchOutputDeps,
  found: readonly Execution[],
  query: string,
): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  let leftMs = LINES_MS;
  for (const { id, lastSeq } of found) {
    if (leftMs <= 0) break;
    // Lets calls run in between, because this thread reads and decodes the output.
    await Bun.sleep(0);
    const beganAtMs = performance.now();
    lines.push(matchingLine(await indexedLines(ledger, id, lastSeq), query));
    leftMs -= performance.now() - beganAtMs;
  }
  return lines;
}
