import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../account/account.ts';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { Section } from '../design/Page.tsx';
import { CodeBlock } from '../design/text/Code.tsx';
import { localTime } from '../design/time/time-words.ts';

type Shown = Answer<'showProvisioning'>;
type DefaultRole = NonNullable<Shown['token']>['default_role'];

const ROLES = [
  { value: 'member', label: 'Member' },
  { value: 'viewer', label: 'Viewer' },
] as const;

/** The provider that adds people by SCIM, for the owner. Nothing on a hub whose operator does not let the workspace have one. */
export function ProvisioningSection() {
  const { role } = useAccount();
  const { data } = useQuery({ ...read('showProvisioning'), enabled: role === 'owner' });
  if (data === undefined || (!data.is_allowed && data.token === null)) return null;
  return (
    <Section title="Provisioning">
      <p className="max-w-prose text-soft">
        Your identity provider adds people to the team and takes them out, by SCIM 2.0. Enter this address
        there:
      </p>
      <CodeBlock text={data.url} copyLabel="Copy address" />
      {data.token !== null && <TokenRow token={data.token} shown={data} />}
      {data.is_allowed && <MakeToken isFirst={data.token === null} />}
    </Section>
  );
}

interface TokenRowProps {
  readonly token: NonNullable<Shown['token']>;
  readonly shown: Shown;
}

function TokenRow({ token, shown: { users, members, groups } }: TokenRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const remove = useAction('removeScimToken', {
    changes: ['showProvisioning'],
    doneMessage: () => 'Token removed',
    onDone: () => setIsOpen(false),
  });
  const { last4, default_role: role, last_used_at: usedAt } = token;
  return (
    <>
      <Row
        title={`Token …${last4}`}
        facts={[
          `default role ${role}`,
          usedAt === null ? 'not used yet' : `last request ${localTime(Date.parse(usedAt))}`,
          `${users} ${users === 1 ? 'user' : 'users'}, ${members} of them in the team`,
          groups.length > 0 && `groups: ${groups.join(', ')}`,
        ]}
        actions={
          <Button kind="plain" className="text-bad" onClick={() => setIsOpen(true)}>
            Remove token
          </Button>
        }
      />
      <Confirm
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title="Remove the token?"
        action="Remove token"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        <p>The provider can no longer add or remove people. The people stay in the team.</p>
      </Confirm>
    </>
  );
}

function MakeToken({ isFirst }: { readonly isFirst: boolean }) {
  const [role, setRole] = useState<DefaultRole>('member');
  const [token, setToken] = useState<string>();
  const make = useAction('makeScimToken', {
    changes: ['showProvisioning'],
    isProblemShown: true,
    onDone: (made: { readonly token: string }) => setToken(made.token),
  });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-60">
          <Select label="Role without a group" options={ROLES} value={role} onChange={setRole} />
        </div>
        <Button
          kind={isFirst ? 'primary' : 'plain'}
          isPending={make.isPending}
          onClick={() => make.mutate({ body: { default_role: role } })}
        >
          {isFirst ? 'Create token' : 'Replace token'}
        </Button>
      </div>
      {!isFirst && <p className="text-soft">The token before stops working when you replace it.</p>}
      {make.error && <Problem error={make.error} />}
      <ShownOnce token={token} what="SCIM token" onClose={() => setToken(undefined)} />
    </div>
  );
}
