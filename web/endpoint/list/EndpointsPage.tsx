import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { useAccount, useMay } from '../../account/account.ts';
import { chosenWorkspace } from '../../account/chosen-workspace.ts';
import { accountKey } from '../../account/kept-settings.ts';
import { type Answer, readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { QueryList } from '../../design/list/QueryList.tsx';
import { Page } from '../../design/Page.tsx';
import { useMedia } from '../../design/use-media.ts';
import { MAX_FOLLOWED } from '../../now/LastLine.tsx';
import { NOW } from '../../now/now-reads.ts';
import { RecentFailures } from '../../now/RecentFailures.tsx';
import { RecentSuccesses } from '../../now/RecentSuccesses.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { type EndpointsSearch, readEndpointsSearch } from '../endpoint-search.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { EndpointHeaders } from './EndpointHeaders.tsx';
import { EndpointListRow } from './EndpointListRow.tsx';
import { DEFAULT_ORDER, inOrder, needsFigures, orderText, readOrder } from './endpoint-order.ts';
import { useFigures } from './recent-executions.ts';

/** No agent and no tag can have this name. */
const ANY = '';
const PAGE = 100;
const MAX_SEARCH_CHARS = 100;
/** An order or the filter by agent needs all endpoints; a workspace with more is searched first. */
const MAX_ORDERED = 500;
/** A table of so many rows leaves room for the last results below it, on a large screen. */
const SHORT = 15;
const LARGE = '(min-width: 1536px) and (min-height: 900px)';

/** All endpoints of the workspace. */
export function EndpointsPage() {
  const { q = '', tag = ANY, agent = ANY, sort } = useSearch({ from: '/endpoints' });
  const navigate = useNavigate();
  const search = useDeferredValue(q);
  const query = useInfiniteQuery({
    ...readPages('listEndpoints', {
      query: { limit: PAGE, ...(search && { search }), ...(tag !== ANY && { tag }) },
    }),
    placeholderData: (before) => before,
  });
  const edit = useMay('endpoint.edit');
  const { starred, toggle } = useStars();
  const { running, areMoreRunning } = useRunning();
  const hasRoom = useMedia(LARGE);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const tags = new Set(items.flatMap((one) => one.tags ?? []));
  const agents = new Set(items.map((one) => one.agent_name));
  const find = (wanted: EndpointsSearch) =>
    void navigate({
      to: '/endpoints',
      search: (before) => readEndpointsSearch({ ...before, ...wanted }),
      replace: true,
    });
  const order = readOrder(sort) ?? DEFAULT_ORDER;
  const isCut = useAllPages(query, sort !== undefined || agent !== ANY);
  const figures = useFigures(
    items.map(({ slug }) => slug),
    needsFigures(order) && (isCut || !query.hasNextPage),
  );
  const isReading = needsFigures(order) && figures === undefined && items.length > 0;
  const shown = withItems(query, (all) => {
    const some = all.filter((one) => agent === ANY || one.agent_name === agent);
    if (order.by !== 'name') return isReading ? some : inOrder(some, order, (slug) => figures?.get(slug));
    return inOrder(some, order, () => undefined).toSorted(
      (one, other) => Number(starred.has(other.slug)) - Number(starred.has(one.slug)),
    );
  });
  return (
    <Page
      {...PAGE_HEADS['/endpoints']}
      actions={
        <Button
          kind="primary"
          why={edit.ok ? undefined : edit.reason}
          onClick={() => void navigate({ to: '/endpoints/new' })}
        >
          Create endpoint
        </Button>
      }
    >
      <div className="grid grid-cols-2 gap-3 *:first:col-span-full sm:grid-cols-[minmax(0,1fr)_12rem_12rem] sm:*:first:col-span-1">
        <TextField
          label="Search endpoints"
          isLabelHidden
          value={q}
          onChange={(next) => find({ q: next.slice(0, MAX_SEARCH_CHARS) })}
          input={{
            type: 'search',
            placeholder: 'Search by name, description or command',
            maxLength: MAX_SEARCH_CHARS,
          }}
        />
        <Select
          label="Tag"
          isLabelHidden
          options={[ANY, ...new Set([...tags, tag].filter((one) => one !== ANY).toSorted())].map((value) => ({
            value,
            label: value === ANY ? 'All tags' : value,
          }))}
          value={tag}
          onChange={(next) => find({ tag: next })}
        />
        <Select
          label="Agent"
          isLabelHidden
          options={[ANY, ...new Set([...agents, agent].filter((one) => one !== ANY).toSorted())].map(
            (value) => ({ value, label: value === ANY ? 'All agents' : value }),
          )}
          value={agent}
          onChange={(next) => find({ agent: next })}
        />
      </div>
      <div className="flex flex-col gap-1">
        <EndpointHeaders order={order} onOrder={(next) => find({ sort: orderText(next) ?? '' })} />
        <p role="status" className="px-4 text-sm text-soft empty:hidden">
          {isReading && 'Reading the last runs of all endpoints…'}
          {isCut && `These are the first ${MAX_ORDERED} endpoints. Search to narrow them.`}
        </p>
        <QueryList
          query={shown}
          what="endpoints"
          idOf={({ id }) => id}
          row={(endpoint) => (
            <EndpointListRow
              endpoint={endpoint}
              isStarred={starred.has(endpoint.slug)}
              isRunning={running.has(endpoint.slug) || (areMoreRunning ? undefined : false)}
              followedId={running.get(endpoint.slug)}
              onStar={() => toggle(endpoint.slug)}
            />
          )}
          rowHeight={36}
          empty={
            search === '' && tag === ANY && agent === ANY ? (
              <NoEndpoints />
            ) : (
              <NothingFound search={search || tag || agent} />
            )
          }
        />
      </div>
      {hasRoom && items.length <= SHORT && (
        <div className="grid grid-cols-2 items-start gap-x-8">
          <RecentFailures isVisit={false} />
          <RecentSuccesses />
        </div>
      )}
    </Page>
  );
}

/** The endpoints that run, by slug, each with an execution whose output is followed; undefined: more than can be followed run. */
function useRunning() {
  const { data } = useQuery(NOW.running);
  const ids = new Map(data?.items.map(({ endpoint, execution_id: id }) => [endpoint, id]));
  return {
    running: new Map([...ids].map(([slug, id], place) => [slug, place < MAX_FOLLOWED ? id : undefined])),
    areMoreRunning: data?.next_cursor != null,
  };
}

/** Reads all pages of the list while they are wanted; true: there are too many. */
function useAllPages(query: EndpointsQuery, areWanted: boolean): boolean {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query;
  const count = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  const isCut = areWanted && hasNextPage && count >= MAX_ORDERED;
  const readsMore = areWanted && hasNextPage && !isCut && !isFetching && error === null;
  useEffect(() => {
    if (readsMore) void fetchNextPage();
  }, [readsMore, fetchNextPage]);
  return isCut;
}

function NoEndpoints() {
  return (
    <Empty title="No endpoints yet">
      <p>
        An endpoint gives a command a URL. Start an agent with a svc.yaml and its endpoints appear here, or
        create one.
      </p>
      <Link to="/endpoints/new" className="text-accent underline">
        Create endpoint
      </Link>
    </Empty>
  );
}

function NothingFound({ search }: { readonly search: string }) {
  return (
    <Empty title={`No endpoints match “${search}”`}>
      <Link to="/endpoints" className="text-accent underline">
        Show all endpoints
      </Link>
    </Empty>
  );
}

/** The same query with other items on each of its pages. */
function withItems(
  query: EndpointsQuery,
  change: (items: readonly WireEndpoint[]) => readonly WireEndpoint[],
): EndpointsQuery {
  if (query.data === undefined) return query;
  const items = change(query.data.pages.flatMap((page) => page.items));
  return {
    ...query,
    data: { ...query.data, pages: [{ items: [...items], next_cursor: null }] },
  } as EndpointsQuery;
}

type EndpointsQuery = UseInfiniteQueryResult<InfiniteData<Answer<'listEndpoints'>>>;

/** The endpoints that a person has starred in this browser, for the selected workspace. */
function useStars(): {
  readonly starred: ReadonlySet<string>;
  readonly toggle: (slug: string) => void;
} {
  const key = accountKey(useAccount().account_id, `starred.${chosenWorkspace() ?? ''}`);
  const [starred, set] = useState(() => new Set(JSON.parse(localStorage.getItem(key) ?? '[]') as string[]));
  return {
    starred,
    toggle(slug) {
      const next = new Set(starred);
      if (!next.delete(slug)) next.add(slug);
      localStorage.setItem(key, JSON.stringify([...next]));
      set(next);
    },
  };
}
