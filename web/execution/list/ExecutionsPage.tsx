import { hasEnded } from '@svc/core/execution/state';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { classes } from '../../design/classes.ts';
import { FoldedOnPhone } from '../../design/FoldedOnPhone.tsx';
import { Check, ChevronDown } from '../../design/icons.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { RowList } from '../../design/list/RowList.tsx';
import { MenuButton } from '../../design/overlay/MenuButton.tsx';
import { Page } from '../../design/Page.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { Time } from '../../design/time/Time.tsx';
import { MAX_FOLLOWED } from '../../now/LastLine.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { OverTime } from '../chart/OverTime.tsx';
import type { WireExecution } from '../wire-execution.ts';
import { useColumns } from './columns.ts';
import { ExecutionFilters } from './ExecutionFilters.tsx';
import { ExecutionHeaders, ExecutionListRow } from './ExecutionListRow.tsx';
import { type ExecutionSearch, filtersOf } from './execution-search.ts';
import { SavedViews } from './SavedViews.tsx';
import type { Column } from './stored-columns.ts';
import { useExecutions } from './use-executions.ts';

const BulkBar = lazyPart(async () => (await import('./BulkBar.tsx')).BulkBar);
const ColumnMenu = lazyPart(async () => (await import('./ColumnMenu.tsx')).ColumnMenu);

/** All executions, filtered by endpoint, state and trigger. */
export function ExecutionsPage() {
  const search = useSearch({ from: '/executions' });
  const navigate = useNavigate();
  const [columns, toggleColumn] = useColumns();
  const isFiltered = Object.keys(search).length > 0;
  const onSearch = (next: ExecutionSearch) =>
    void navigate({ to: '/executions', search: next, replace: true, resetScroll: false });
  return (
    <Page
      {...PAGE_HEADS['/executions']}
      actions={
        <Link
          to="/live"
          className="inline-flex min-h-8 items-center rounded border border-edge bg-raised px-3 py-1 hover:border-ink pointer-coarse:min-h-11"
        >
          Live output
        </Link>
      }
    >
      <FoldedOnPhone summary={isFiltered ? 'Charts and filters (filtered)' : 'Charts and filters'}>
        <OverTime search={search} onSearch={onSearch} />
        <ExecutionFilters
          search={search}
          onSearch={onSearch}
          hasArguments={columns.includes('args')}
          aside={
            <div className="hidden sm:block">
              <MenuButton
                label="Columns"
                className="flex min-h-8 cursor-pointer items-center gap-2 rounded border border-edge bg-raised px-3 hover:border-ink"
                menu={(open) => <ColumnMenu open={open} columns={columns} onToggle={toggleColumn} />}
              >
                Columns
                <ChevronDown className="size-4 text-soft" />
              </MenuButton>
            </div>
          }
        />
      </FoldedOnPhone>
      <div className="flex flex-col">
        <div className="pb-2 not-has-[nav]:hidden">
          <SavedViews search={search} />
        </div>
        {/* New filters start a new list. So does the column of arguments, because the list is otherwise read without them. */}
        <ExecutionList
          key={JSON.stringify([search, columns.includes('args')])}
          search={search}
          columns={columns}
        />
      </div>
    </Page>
  );
}

interface ExecutionListProps {
  readonly search: ExecutionSearch;
  readonly columns: readonly Column[];
}

function ExecutionList({ search, columns }: ExecutionListProps) {
  const [selected, setSelected] = useState<ReadonlyMap<string, WireExecution>>(new Map());
  const toggle = (execution: WireExecution) =>
    setSelected((before) => {
      const next = new Map(before);
      if (!next.delete(execution.execution_id)) next.set(execution.execution_id, execution);
      return next;
    });
  // One fixed moment: a new one would be another query.
  const hasArguments = columns.includes('args');
  const filters = useMemo(() => filtersOf(search, Date.now(), hasArguments), [search, hasArguments]);
  const { items, error, isReadingMore, hasMore, isPartial, unsearched, readMore, readAgain } =
    useExecutions(filters);
  const running = items?.filter(({ status }) => status === 'running') ?? [];
  const followed = new Set(running.slice(0, MAX_FOLLOWED).map(({ execution_id: id }) => id));
  const isEmptySoFar = items?.length === 0 && hasMore && !isPartial;
  useEffect(() => {
    // A page may be empty although more pages follow.
    if (isEmptySoFar && error === null) readMore();
  }, [isEmptySoFar, error, readMore]);
  if (items === undefined || (isEmptySoFar && error === null))
    return error ? <Problem error={error} onRetry={readAgain} /> : <Loading what="executions" rows={8} />;
  return (
    <div className="flex flex-col">
      <Unsearched {...unsearched} />
      {items.length === 0 && !isPartial && <NoExecutions isFiltered={Object.keys(search).length > 0} />}
      {items.length > 0 && (
        <>
          <div className="flex pb-1 sm:pr-4 sm:pl-12">
            <ExecutionHeaders columns={columns} />
          </div>
          <RowList
            rowHeight={36}
            label="executions"
            items={items}
            idOf={({ execution_id: id }) => id}
            row={(execution) => (
              <CurrentRow
                execution={execution}
                columns={columns}
                isFollowed={followed.has(execution.execution_id)}
                isSelected={selected.has(execution.execution_id)}
                onSelect={toggle}
              />
            )}
            onEnd={isPartial ? undefined : readMore}
          />
        </>
      )}
      {isPartial && !isReadingMore && <SearchFurther onSearch={readMore} />}
      {isReadingMore && <Loading what="more executions" rows={1} />}
      {error && <Problem error={error} onRetry={readAgain} />}
      <Suspense>
        {selected.size > 0 && (
          <BulkBar selected={[...selected.values()]} onClear={() => setSelected(new Map())} />
        )}
      </Suspense>
    </div>
  );
}

/** The newest executions are always missing for some seconds; only more than that is reported. */
const USUAL_MS = 60_000;

interface UnsearchedProps {
  readonly before: string | undefined;
  readonly from: string | undefined;
}

/** The executions that a search in output does not find yet. */
function Unsearched({ before, from }: UnsearchedProps) {
  const isBehind = from !== undefined && Date.parse(from) < Date.now() - USUAL_MS;
  if (before === undefined && !isBehind) return null;
  return (
    <p role="status" className="pb-2 text-sm text-soft">
      The output of these executions is not indexed yet:{' '}
      {before !== undefined && (
        <>
          created before <Time at={before} />
        </>
      )}
      {before !== undefined && isBehind && ', and '}
      {isBehind && (
        <>
          created since <Time at={from} />
        </>
      )}
      .
    </p>
  );
}

/** A filter that few executions match: the person decides how far back to search. */
function SearchFurther({ onSearch }: { readonly onSearch: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      Older executions are not searched yet.
      <Button onClick={onSearch}>Search further back</Button>
    </p>
  );
}

function NoExecutions({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No matching executions">
        <Link to="/executions" className="text-accent underline">
          Show all executions
        </Link>
      </Empty>
    );
  return (
    <Empty title="No executions yet">
      <p>Call an endpoint or run one from its page. Its execution and output appear here.</p>
      <Link to="/endpoints" className="text-accent underline">
        Go to Endpoints
      </Link>
    </Empty>
  );
}

interface CurrentRowProps {
  readonly execution: WireExecution;
  readonly columns: readonly Column[];
  readonly isFollowed: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (execution: WireExecution) => void;
}

/** A row that follows its execution until the end, however long ago its page of the list was read. */
function CurrentRow({ execution, columns, isFollowed, isSelected, onSelect }: CurrentRowProps) {
  const isOpen = !hasEnded(execution.status);
  const { data } = useQuery({
    ...read('showExecution', { parameters: { id: execution.execution_id }, query: { without: 'result' } }),
    enabled: isOpen,
  });
  const current = isOpen && data !== undefined ? data : execution;
  return (
    <div
      className={classes('-mx-4 flex items-center px-4 hover:bg-accent-wash', isSelected && 'bg-accent-wash')}
    >
      <div className="flex min-w-0 grow flex-col">
        <ExecutionListRow execution={current} columns={columns} isFollowed={isFollowed} />
        {execution.output_line !== undefined && (
          <p title={execution.output_line} className="truncate pb-2 font-mono text-sm text-soft">
            <Visible text={execution.output_line} />
          </p>
        )}
      </div>
      {/* After the link: `j` and `k` go to the first link or button of a row. */}
      {/* biome-ignore lint/a11y/useSemanticElements: letters in an input are typing, and switch off the shortcuts */}
      <button
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        aria-label={`Select ${execution.endpoint}`}
        title="Select (x)"
        data-key="x"
        onClick={() => onSelect(current)}
        className="order-first hidden size-8 shrink-0 cursor-pointer items-center justify-center sm:flex"
      >
        <span
          aria-hidden
          className={classes(
            'flex size-4 items-center justify-center rounded border',
            isSelected ? 'border-accent bg-accent text-on-accent' : 'border-edge bg-raised',
          )}
        >
          {isSelected && <Check strokeWidth="3" className="size-3" />}
        </span>
      </button>
    </div>
  );
}
