import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useMay } from '../../account/account.ts';
import { readPages } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { QueryList } from '../../design/list/QueryList.tsx';
import { Page } from '../../design/Page.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Visible } from '../../design/text/Code.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { traitsOf } from './traits.ts';

const PAGE = 100;
const MAX_SEARCH_CHARS = 100;

/** All endpoints of the workspace. */
export function EndpointsPage() {
  const { q = '' } = useSearch({ from: '/endpoints' });
  const navigate = useNavigate();
  const search = useDeferredValue(q);
  const query = useInfiniteQuery({
    ...readPages('listEndpoints', { query: { limit: PAGE, ...(search && { search }) } }),
    placeholderData: (before) => before,
  });
  const edit = useMay('endpoint.edit');
  return (
    <Page
      title="Endpoints"
      about="Commands you can call over HTTP. Agents register the ones in svc.yaml; you can also create them here."
      actions={
        <Button
          why={edit.ok ? undefined : edit.reason}
          onClick={() => void navigate({ to: '/endpoints/new' })}
        >
          New endpoint
        </Button>
      }
    >
      <TextField
        label="Search endpoints"
        isLabelHidden
        value={q}
        onChange={(next) =>
          void navigate({
            to: '/endpoints',
            search: next === '' ? {} : { q: next.slice(0, MAX_SEARCH_CHARS) },
            replace: true,
          })
        }
        input={{
          type: 'search',
          placeholder: 'Search by name, description or command',
          maxLength: MAX_SEARCH_CHARS,
        }}
      />
      <QueryList
        query={query}
        what="endpoints"
        idOf={({ id }) => id}
        row={(endpoint) => <EndpointRow endpoint={endpoint} />}
        rowHeight={58}
        empty={search === '' ? <NoEndpoints /> : <NothingFound search={search} />}
      />
    </Page>
  );
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

/** An endpoint in the list: name, traits, command, and the state of its agent. */
function EndpointRow({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { slug, description, command, agent_name: agent, agent_status: status } = endpoint;
  const traits = traitsOf(endpoint);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-1 py-2">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
        <Link
          to="/endpoints/$name"
          params={{ name: slug }}
          className="font-mono font-semibold wrap-anywhere hover:text-accent hover:underline"
        >
          {slug}
        </Link>
        {endpoint.waits_for.length > 0 && <span className="text-sm text-waiting">needs admin approval</span>}
        {traits.length > 0 && <span className="text-sm text-soft">{traits.join(' · ')}</span>}
      </div>
      <div className="flex items-center gap-3 text-sm">
        <span className="hidden text-soft sm:inline">
          <Visible text={agent} />
        </span>
        <StateMark state={status === 'online' ? 'online' : 'offline'} isCompact />
      </div>
      <p className="col-span-2 truncate text-sm text-soft">
        {description === null ? (
          <code>
            <Visible text={command.slice(0, 300)} />
          </code>
        ) : (
          <Visible text={description} />
        )}
      </p>
    </div>
  );
}
