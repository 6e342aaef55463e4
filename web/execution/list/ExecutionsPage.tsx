import { hasEnded } from '@svc/core/execution/state';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import { read } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Disclosure } from '../../design/Disclosure.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { RowList } from '../../design/list/RowList.tsx';
import { Page } from '../../design/Page.tsx';
import { useMedia } from '../../design/use-media.ts';
import { OverTime } from '../chart/OverTime.tsx';
import type { WireExecution } from '../wire-execution.ts';
import { ExecutionFilters } from './ExecutionFilters.tsx';
import { ExecutionListRow } from './ExecutionListRow.tsx';
import { type ExecutionSearch, queryOf } from './execution-search.ts';
import { useExecutions } from './use-executions.ts';

/** All executions, filtered by endpoint, state and trigger. */
export function ExecutionsPage() {
  const search = useSearch({ from: '/executions' });
  const navigate = useNavigate();
  return (
    <Page title="Executions" about="All calls and scheduled runs, including those that never started.">
      <AboveTheList isFiltered={Object.keys(search).length > 0}>
        <OverTime endpoint={search.endpoint} />
        <ExecutionFilters
          search={search}
          onSearch={(next) => void navigate({ to: '/executions', search: next, replace: true })}
        />
      </AboveTheList>
      {/* New filters start a new list. */}
      <ExecutionList key={JSON.stringify(search)} search={search} />
    </Page>
  );
}

interface AboveTheListProps {
  readonly isFiltered: boolean;
  readonly children: ReactNode;
}

/** The charts and filters. On a phone they are folded, so that the first screen shows executions. */
function AboveTheList({ isFiltered, children }: AboveTheListProps) {
  const isPhone = useMedia('(max-width: 639px)');
  if (!isPhone) return children;
  return (
    <Disclosure summary={isFiltered ? 'Charts and filters (filtered)' : 'Charts and filters'}>
      <div className="flex flex-col gap-6">{children}</div>
    </Disclosure>
  );
}

function ExecutionList({ search }: { readonly search: ExecutionSearch }) {
  const filters = useMemo(() => queryOf(search), [search]);
  const { items, error, isReadingMore, hasMore, isPartial, readMore, readAgain } = useExecutions(filters);
  const isEmptySoFar = items?.length === 0 && hasMore && !isPartial;
  useEffect(() => {
    // A page may be empty although more pages follow.
    if (isEmptySoFar && error === null) readMore();
  }, [isEmptySoFar, error, readMore]);
  if (items === undefined || (isEmptySoFar && error === null))
    return error ? <Problem error={error} onRetry={readAgain} /> : <Loading what="executions" rows={8} />;
  return (
    <div>
      {items.length === 0 && !isPartial && <NoExecutions isFiltered={Object.keys(search).length > 0} />}
      {items.length > 0 && (
        <RowList
          label="executions"
          items={items}
          idOf={({ execution_id: id }) => id}
          row={(execution) => <CurrentRow execution={execution} />}
          onEnd={isPartial ? undefined : readMore}
        />
      )}
      {isPartial && !isReadingMore && <SearchFurther onSearch={readMore} />}
      {isReadingMore && <Loading what="more executions" rows={1} />}
      {error && <Problem error={error} onRetry={readAgain} />}
    </div>
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

/** A row that follows its execution until the end, however long ago its page of the list was read. */
function CurrentRow({ execution }: { readonly execution: WireExecution }) {
  const isOpen = !hasEnded(execution.status);
  const { data } = useQuery({
    ...read('showExecution', { parameters: { id: execution.execution_id }, query: { without: 'result' } }),
    enabled: isOpen,
  });
  return <ExecutionListRow execution={isOpen && data !== undefined ? data : execution} />;
}
