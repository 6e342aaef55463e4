import { ASSIGNABLE_ROLES, type AssignableRole } from '@svc/core/team/invite';
import { shownAddress } from '@svc/core/text/shown-address';
import type { FormEvent } from 'react';
import { useMay } from '../account/account.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { useKeptDraft } from '../design/form/use-kept-draft.ts';
import { Problem } from '../design/list/Problem.tsx';

export const ROLE_OPTIONS = ASSIGNABLE_ROLES.map((value) => ({ value, label: value }));

interface InvitationDraft {
  readonly email: string;
  readonly role: AssignableRole;
}

const EMPTY: InvitationDraft = { email: '', role: 'member' };

/** Mails an invitation link; the person joins by signing in with that address. */
export function InviteForm() {
  const can = useMay('member.invite');
  const why = can.ok ? undefined : can.reason;
  const kept = useKeptDraft('invitation', EMPTY, { isShort: true });
  const { draft, change } = kept;
  const { email, role } = draft;
  const invite = useAction('inviteMember', {
    changes: ['listInvites', 'showUsage'],
    isProblemShown: true,
    doneMessage: (_, { body }) => `Invitation sent to ${shownAddress(body.email)}`,
    // The next invitation is often for the same role.
    onDone: () => kept.startOver({ ...EMPTY, role }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (email !== '') invite.mutate({ body: { email, role } });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <DraftNotice kept={kept} />
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-72 max-w-full">
          <TextField
            label="Email"
            value={email}
            onChange={(next) => change({ ...draft, email: next })}
            input={{ type: 'email', required: true, autoComplete: 'off', disabled: !can.ok }}
          />
        </div>
        <div className="w-36">
          <Select
            label="Role"
            options={ROLE_OPTIONS}
            value={role}
            onChange={(next) => change({ ...draft, role: next })}
            why={why}
          />
        </div>
        <Button kind="primary" type="submit" why={why} isPending={invite.isPending}>
          Send invitation
        </Button>
      </div>
      {invite.error && <Problem error={invite.error} />}
    </form>
  );
}
