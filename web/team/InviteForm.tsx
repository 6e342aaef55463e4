import { ASSIGNABLE_ROLES, type AssignableRole } from '@svc/core/team/invite';
import { shownAddress } from '@svc/core/text/shown-address';
import { type FormEvent, useState } from 'react';
import { useMay } from '../account/account.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';

export const ROLE_OPTIONS = ASSIGNABLE_ROLES.map((value) => ({ value, label: value }));

/** Mails an invitation link; the person joins by signing in with that address. */
export function InviteForm() {
  const can = useMay('member.invite');
  const why = can.ok ? undefined : can.reason;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<AssignableRole>('member');
  const invite = useAction('inviteMember', {
    changes: ['listInvites', 'showUsage'],
    isProblemShown: true,
    doneMessage: (_, { body }) => `Invitation sent to ${shownAddress(body.email)}`,
    onDone: () => setEmail(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (email !== '') invite.mutate({ body: { email, role } });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-72 max-w-full">
          <TextField
            label="Email"
            value={email}
            onChange={setEmail}
            input={{ type: 'email', required: true, autoComplete: 'off', disabled: !can.ok }}
          />
        </div>
        <div className="w-36">
          <Select label="Role" options={ROLE_OPTIONS} value={role} onChange={setRole} why={why} />
        </div>
        <Button kind="primary" type="submit" why={why} isPending={invite.isPending}>
          Send invitation
        </Button>
      </div>
      {invite.error && <Problem error={invite.error} />}
    </form>
  );
}
