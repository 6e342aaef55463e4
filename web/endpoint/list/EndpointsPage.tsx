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
import { EndpointRow } from './EndpointRow.tsx';

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
