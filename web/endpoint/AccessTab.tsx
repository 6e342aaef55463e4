import { shownAddress } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPages } from '../api/read.ts';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Section } from '../design/Page.tsx';
import { Visible } from '../design/text/Code.tsx';
import { rightsInWords } from '../grant/GrantList.tsx';
import { NewGrant } from '../grant/NewGrant.tsx';

/** Who may use an endpoint in effect, and a grant for one more (decision 87, rights per endpoint). */
export function AccessTab({ slug }: { readonly slug: string }) {
  const query = useInfiniteQuery(readPages('listEndpointHolders', { parameters: { name: slug } }));
  return (
    <div className="flex flex-col gap-6">
      <Section
        title="Who may use it"
        aside={
          <Link to="/team" className="text-accent hover:underline">
            All grants
          </Link>
        }
      >
        <QueryList
          query={query}
          what="people and programs"
          idOf={({ kind, id }) => `${kind} ${id}`}
          row={({ kind, name, role, can }) => (
            <Row
              title={<Visible text={shownAddress(name)} />}
              facts={[kind === 'service_account' && 'service account', role, rightsInWords(can)]}
            />
          )}
          empty={<p className="text-soft">No member or service account can use this endpoint.</p>}
        />
      </Section>
      <Section title="Create grant">
        <NewGrant slug={slug} />
      </Section>
    </div>
  );
}
