import type { AssignableRole } from '@svc/core/team/invite';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useMay } from '../account/account.ts';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';
import { Section } from '../design/Page.tsx';
import { ROLE_OPTIONS } from '../team/InviteForm.tsx';
import { AccountRow } from './AccountRow.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';

type Account = Item<'listServiceAccounts'>;
type Key = Account['keys'][number];

interface ServiceAccountSectionProps {
  readonly onKeyCreated: (token: string) => void;
}

/** Programs with a role of their own, for owner and admins (decision 81, service accounts). */
export function ServiceAccountSection({ onKeyCreated }: ServiceAccountSectionProps) {
  return useMay('service_account.manage').ok && <Managed onKeyCreated={onKeyCreated} />;
}

function Managed({ onKeyCreated }: ServiceAccountSectionProps) {
  const query = useInfiniteQuery(readPages('listServiceAccounts'));
  const nameOf = useMemberNames();
  const [isCreating, setIsCreating] = useState(false);
  const [extended, setExtended] = useState<Account>();
  const [disabled, setDisabled] = useState<Account>();
  const [revoked, setRevoked] = useState<{ readonly account: Account; readonly revoked: Key }>();
  return (
    <Section
      title="Service accounts"
      aside={<Button onClick={() => setIsCreating(true)}>Create service account</Button>}
    >
      <p className="max-w-prose text-soft">
        A service account is for a program, such as a deployment. Its keys keep working when the person who
        created them leaves the team.
      </p>
      <QueryList
        query={query}
        what="service accounts"
        idOf={({ id }) => id}
        row={(account) => (
          <AccountRow
            account={account}
            nameOf={nameOf}
            onNewKey={() => setExtended(account)}
            onDisable={() => setDisabled(account)}
            onRevoke={(key) => setRevoked({ account, revoked: key })}
          />
        )}
        empty={<p className="text-soft">No service accounts yet.</p>}
      />
      {isCreating && <NewServiceAccount onClose={() => setIsCreating(false)} />}
      {extended && (
        <NewKeyDialog account={extended} onClose={() => setExtended(undefined)} onCreated={onKeyCreated} />
      )}
      {disabled && <DisableAccount account={disabled} onClose={() => setDisabled(undefined)} />}
      {revoked && <RevokeKey {...revoked} onClose={() => setRevoked(undefined)} />}
    </Section>
  );
}

function NewServiceAccount({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<AssignableRole>('member');
  const [isChecked, setIsChecked] = useState(false);
  const create = useAction('makeServiceAccount', {
    changes: ['listServiceAccounts'],
    isProblemShown: true,
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (name.trim() !== '') create.mutate({ body: { name: name.trim(), role } });
  };
  return (
    <Dialog isOpen onClose={onClose} title="Create service account">
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="For example: deployments."
          problem={isChecked && name.trim() === '' ? 'Enter a name.' : undefined}
          input={{ autoFocus: true }}
        />
        <Select label="Role" options={ROLE_OPTIONS} value={role} onChange={setRole} />
        <p className="text-sm text-soft">
          A viewer reads, a member also calls, an admin also changes endpoints and pipelines. None of them
          approves calls, or manages people, keys, secrets and agents.
        </p>
        {create.error && <Problem error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            Create account
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface DisableAccountProps {
  readonly account: Account;
  readonly onClose: () => void;
}

function DisableAccount({ account: { id, name }, onClose }: DisableAccountProps) {
  const disable = useAction('disableServiceAccount', {
    changes: ['listServiceAccounts'],
    doneMessage: () => `Service account ${name} disabled`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Disable service account ${name}?`}
      action="Disable account"
      isPending={disable.isPending}
      onConfirm={() => disable.mutate({ parameters: { id } })}
    >
      <p>All its keys are revoked at once, and their open streams end. You cannot undo this.</p>
    </Confirm>
  );
}

interface RevokeKeyProps extends DisableAccountProps {
  readonly revoked: Key;
}

function RevokeKey({ account, revoked: key, onClose }: RevokeKeyProps) {
  const revoke = useAction('revokeServiceAccountKey', {
    changes: ['listServiceAccounts'],
    doneMessage: () => `Key ${key.name} revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke key ${key.name} of ${account.name}?`}
      action="Revoke key"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id: key.id } })}
    >
      <p>Requests with this key are refused at once, and its open streams end. You cannot undo this.</p>
    </Confirm>
  );
}
