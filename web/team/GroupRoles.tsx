import type { AssignableRole } from '@svc/core/team/invite';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Row } from '../design/list/Row.tsx';
import { Section } from '../design/Page.tsx';
import { Visible } from '../design/text/Code.tsx';
import { ROLE_OPTIONS } from './InviteForm.tsx';

type GroupRoles = Answer<'showGroupRoles'>;
type GroupRole = GroupRoles['groups'][number];

/** The roles of groups at the sign-in provider, for the owner. Nothing on a hub whose provider sends no groups. */
export function GroupRoles() {
  const { role } = useAccount();
  const { data } = useQuery({ ...read('showGroupRoles'), enabled: role === 'owner' });
  if (data === undefined || (data.claim === null && !data.by_scim && data.groups.length === 0)) return null;
  return (
    <Section title="Groups">
      <p className="max-w-prose text-soft">
        Members of these groups at {data.provider ?? 'the sign-in provider'} join the team when they sign in
        there, and leave it at the next sign-in after they left the group.
      </p>
      {data.groups.map((rule) => (
        <GroupRow key={rule.group} rule={rule} rules={data.groups} />
      ))}
      <AddGroup rules={data.groups} />
    </Section>
  );
}

function useSetGroups(doneMessage: string, onDone?: () => void) {
  return useAction('setGroupRoles', {
    changes: ['showGroupRoles', 'listMembers', 'showUsage'],
    isProblemShown: true,
    doneMessage: () => doneMessage,
    ...(onDone === undefined ? {} : { onDone }),
  });
}

interface GroupRowProps {
  readonly rule: GroupRole;
  readonly rules: readonly GroupRole[];
}

function GroupRow({ rule: { group, role, domains }, rules }: GroupRowProps) {
  const remove = useSetGroups(`Group ${group} removed`);
  const others = rules.filter((one) => one.group !== group);
  return (
    <div>
      <Row
        title={group === '*' ? 'Everyone' : <Visible text={group} />}
        facts={[role, domains.length > 0 && domains.join(', ')]}
        actions={
          <Button
            kind="plain"
            className="text-bad"
            isPending={remove.isPending}
            onClick={() => remove.mutate({ body: { groups: others } })}
            aria-label={`Remove group ${group}`}
          >
            Remove
          </Button>
        }
      />
      {remove.error && <Problem error={remove.error} />}
    </div>
  );
}

function AddGroup({ rules }: { readonly rules: readonly GroupRole[] }) {
  const [group, setGroup] = useState('');
  const [role, setRole] = useState<AssignableRole>('member');
  const [domains, setDomains] = useState('');
  const add = useSetGroups(`Group ${group} added`, () => {
    setGroup('');
    setDomains('');
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const names = domains.split(/[\s,]+/).filter((one) => one !== '');
    const others = rules.filter((one) => one.group !== group);
    if (group !== '') add.mutate({ body: { groups: [...others, { group, role, domains: names }] } });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-60 max-w-full">
          <TextField
            label="Group"
            value={group}
            onChange={setGroup}
            input={{ required: true, autoComplete: 'off', placeholder: '* for everyone' }}
          />
        </div>
        <div className="w-60 max-w-full">
          <TextField
            label="Domains (optional)"
            value={domains}
            onChange={setDomains}
            input={{ autoComplete: 'off', placeholder: 'example.com' }}
          />
        </div>
        <div className="w-36">
          <Select label="Role of the group" options={ROLE_OPTIONS} value={role} onChange={setRole} />
        </div>
        <Button kind="primary" type="submit" isPending={add.isPending}>
          Add group
        </Button>
      </div>
      {add.error && <Problem error={add.error} />}
    </form>
  );
}
