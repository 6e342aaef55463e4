import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { chosenWorkspace } from '../../account/chosen-workspace.ts';
import { type Answer, readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { QueryList } from '../../design/list/QueryList.tsx';
import { Page } from '../../design/Page.tsx';
import { MAX_FOLLOWED } from '../../now/LastLine.tsx';
import { NOW } from '../../now/now-reads.ts';
import { PAGE_HEADS } from '../../page-heads.ts';
import { type EndpointsSearch, readEndpointsSearch } from '../endpoint-search.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { EndpointHeaders, EndpointListRow } from './EndpointListRow.tsx';

/** No agent and no tag can have this name. */
const ANY = '';
const PAGE = 100;
const MAX_SEARCH_CHARS = 100;

/** All endpoints of the workspace. */
export function EndpointsPage() {
  const { q = '', tag = ANY } = useSearch({ from: '/endpoints' });
  const navigate = useNavigate();
  const search = useDeferredValue(q);
  const query = useInfiniteQuery({
    ...readPages('listEndpoints', {
      query: { limit: PAGE, ...(search && { search }), ...(tag !== ANY && { tag }) },
    }),
    placeholderData: (before) => before,
  });
  const edit = useMay('endpoint.edit');
  const [agent, setAgent] = useState(ANY);
  const { starred, toggle } = useStars();
  const running = useRunning();
  const tags = new Set(query.data?.pages.flatMap(({ items }) => items.flatMap((one) => one.tags ?? [])));
  const find = (wanted: EndpointsSearch) =>
    void navigate({ to: '/endpoints', search: readEndpointsSearch({ q, tag, ...wanted }), replace: true });
  const agents = [...new Set(query.data?.pages.flatMap(({ items }) => items.map((one) => one.agent_name)))];
  const shown = withItems(query, (items) =>
    items
      .filter((one) => agent === ANY || one.agent_name === agent)
      .toSorted((one, other) => Number(starred.has(other.slug)) - Number(starred.has(one.slug))),
  );
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
          options={[ANY, ...agents.toSorted()].map((value) => ({
            value,
            label: value === ANY ? 'All agents' : value,
          }))}
          value={agent}
          onChange={setAgent}
        />
      </div>
      <div className="flex flex-col gap-1">
        <EndpointHeaders />
        <QueryList
          query={shown}
          what="endpoints"
          idOf={({ id }) => id}
          row={(endpoint) => (
            <EndpointListRow
              endpoint={endpoint}
              isStarred={starred.has(endpoint.slug)}
              runningId={running.get(endpoint.slug)}
              onStar={() => toggle(endpoint.slug)}
            />
          )}
          rowHeight={37}
          empty={search === '' && tag === ANY ? <NoEndpoints /> : <NothingFound search={search || tag} />}
        />
      </div>
    </Page>
  );
}

/** A running execution of each endpoint that is followed, by slug. */
function useRunning(): ReadonlyMap<string, string> {
  const { data } = useQuery(NOW.running);
  const ids = new Map(data?.items.map(({ endpoint, execution_id: id }) => [endpoint, id]));
  return new Map([...ids].slice(0, MAX_FOLLOWED));
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
function withItems(query: EndpointsQuery, change: (items: readonly WireEndpoint[]) => WireEndpoint[]) {
  if (query.data === undefined) return query;
  const items = change(query.data.pages.flatMap((page) => page.items));
  return { ...query, data: { ...query.data, pages: [{ items, next_cursor: null }] } };
}

type EndpointsQuery = UseInfiniteQueryResult<InfiniteData<Answer<'listEndpoints'>>>;

/** The endpoints that a person has starred in this browser, for the selected workspace. */
function useStars(): {
  readonly starred: ReadonlySet<string>;
  readonly toggle: (slug: string) => void;
} {
  const key = `svc.starred.${chosenWorkspace() ?? ''}`;
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
