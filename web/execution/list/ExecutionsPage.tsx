import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { Button } from '../../design/Button.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { RowList } from '../../design/list/RowList.tsx';
import { Page } from '../../design/Page.tsx';
import { OverTime } from '../chart/OverTime.tsx';
import { CurrentRow } from './CurrentRow.tsx';
import { ExecutionFilters } from './ExecutionFilters.tsx';
import { type ExecutionSearch, queryOf } from './execution-search.ts';
import { useExecutions } from './use-executions.ts';

/** What ran, runs, and did not: by endpoint, state and what set it off. */
export function ExecutionsPage() {
  const search = useSearch({ from: '/executions' });
  const navigate = useNavigate();
  return (
    <Page
      title="Executions"
      about="Every call that was accepted, and every fire of a schedule, also those that never ran."
    >
      <OverTime endpoint={search.endpoint} />
      <ExecutionFilters
        search={search}
        onSearch={(next) => void navigate({ to: '/executions', search: next, replace: true })}
      />
      {/* Another question begins another list. */}
      <ExecutionList key={JSON.stringify(search)} search={search} />
    </Page>
  );
}

function ExecutionList({ search }: { readonly search: ExecutionSearch }) {
  const filters = useMemo(() => queryOf(search), [search]);
  const { items, error, isReadingMore, hasMore, isPartial, readMore, readAgain } = useExecutions(filters);
  const isEmptySoFar = items?.length === 0 && hasMore && !isPartial;
  useEffect(() => {
    // A page may be empty though there are more behind it.
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
      {isPartial && !isReadingMore && <FurtherBack onLook={readMore} />}
      {isReadingMore && <Loading what="more executions" rows={1} />}
      {error && <Problem error={error} onRetry={readAgain} />}
    </div>
  );
}

/** A filter that few executions match: how far to look back is for people to say. */
function FurtherBack({ onLook }: { readonly onLook: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      Older executions were not searched yet.
      <Button onClick={onLook}>Search further back</Button>
    </p>
  );
}

function NoExecutions({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No execution is like that">
        <Link to="/executions" className="text-accent underline">
          Show all executions
        </Link>
      </Empty>
    );
  return (
    <Empty title="Nothing has run yet">
      <p>
        Call an endpoint, or run one from its page; each execution then stands here, with what it printed.
      </p>
      <Link to="/endpoints" className="text-accent underline">
        Go to the endpoints
      </Link>
    </Empty>
  );
}
