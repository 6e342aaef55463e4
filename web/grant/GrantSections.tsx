import type { EndpointAccess } from '@svc/core/workspace/endpoint-rights';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Select } from '../design/form/Select.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Section } from '../design/Page.tsx';
import { EffectiveRights } from './EffectiveRights.tsx';
import { GrantList } from './GrantList.tsx';
import { CHANGED_BY_GRANTS, NewGrant } from './NewGrant.tsx';

/** Rights on endpoints beside roles, for owner and admins (decision 87, rights per endpoint). */
export function GrantSections() {
  if (!useMay('member.change_role').ok) return null;
  return (
    <>
      <Section title="Endpoint access">
        <Access />
      </Section>
      <Section title="Grants">
        <GrantList />
      </Section>
      <Section title="Create grant">
        <NewGrant />
      </Section>
      <Section title="Rights in effect">
        <EffectiveRights />
      </Section>
    </>
  );
}

const OPTIONS = [
  { value: 'all', label: 'All endpoints, as their role says' },
  { value: 'by_grants', label: 'Only endpoints of their grants' },
] as const;

/** What members and viewers have without a grant. Taking endpoints away is confirmed first. */
function Access() {
  const { data } = useQuery(read('showEndpointAccess'));
  const [wanted, setWanted] = useState<EndpointAccess>();
  const change = useAction('setEndpointAccess', {
    changes: ['showEndpointAccess', ...CHANGED_BY_GRANTS],
    doneMessage: ({ access }) =>
      access === 'all' ? 'Members have all endpoints' : 'Members have only endpoints of their grants',
    onDone: () => setWanted(undefined),
  });
  if (data === undefined) return null;
  const choose = (access: EndpointAccess) => {
    if (access === data.access) return;
    if (access === 'by_grants') setWanted(access);
    else change.mutate({ body: { access } });
  };
  return (
    <>
      <div className="w-72 max-w-full">
        <Select label="Members and viewers have" options={OPTIONS} value={data.access} onChange={choose} />
      </div>
      <p className="max-w-prose text-soft">
        Owner and admins always have all endpoints. API keys, access tokens and AI clients have at most what
        their person has.
      </p>
      <Confirm
        isOpen={wanted !== undefined}
        onClose={() => setWanted(undefined)}
        title="Limit members to their grants?"
        action="Limit members"
        isPending={change.isPending}
        onConfirm={() => change.mutate({ body: { access: 'by_grants' } })}
      >
        <p>
          Members and viewers lose all endpoints that no grant gives them, at once. Their open streams of
          these endpoints end.
        </p>
      </Confirm>
    </>
  );
}
