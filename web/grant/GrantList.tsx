import { shownAddress } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { CHANGED_BY_GRANTS } from './NewGrant.tsx';

type Grant = Item<'listEndpointGrants'>;

const KIND_WORDS = { member: undefined, group: 'group', service_account: 'service account' } as const;

/** The grants of the workspace, each with a button that withdraws it. */
export function GrantList() {
  const query = useInfiniteQuery(readPages('listEndpointGrants'));
  const nameOf = useMemberNames();
  return (
    <QueryList
      query={query}
      what="grants"
      idOf={({ id }) => id}
      row={(grant) => <GrantRow grant={grant} nameOf={nameOf} />}
      empty={<p className="text-soft">No grants yet.</p>}
    />
  );
}

interface GrantRowProps {
  readonly grant: Grant;
  readonly nameOf: (userId: string) => string;
}

function GrantRow({ grant, nameOf }: GrantRowProps) {
  const { id, grantee_kind, name, endpoints, can, created_by, created_at } = grant;
  const who = name === null ? 'not there any more' : shownAddress(name);
  const withdraw = useAction('deleteEndpointGrant', {
    changes: CHANGED_BY_GRANTS,
    doneMessage: () => `Grant for ${who} withdrawn`,
  });
  return (
    <Row
      title={<Visible text={who} />}
      facts={[
        KIND_WORDS[grantee_kind],
        rightsInWords(can),
        <code key="endpoints">{endpoints.join(', ')}</code>,
        <>
          by {nameOf(created_by)} <Time at={created_at} />
        </>,
      ]}
      actions={
        <Button
          kind="plain"
          className="text-bad"
          isPending={withdraw.isPending}
          onClick={() => withdraw.mutate({ parameters: { id } })}
          aria-label={`Withdraw the grant for ${who} on ${endpoints.join(', ')}`}
        >
          Withdraw
        </Button>
      }
    />
  );
}

/** "view, run" */
export function rightsInWords(can: Grant['can']): string {
  return [...new Set(['view', ...can])].join(', ');
}
