import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount, useMay } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Page, Section } from '../design/Page.tsx';
import { grouped } from '../design/text/grouped.ts';
import { GrantSections } from '../grant/GrantSections.tsx';
import { GroupRoles } from './GroupRoles.tsx';
import { InviteForm } from './InviteForm.tsx';
import { Invites } from './Invites.tsx';
import { Members } from './Members.tsx';
import { Ownership } from './Ownership.tsx';
import { ProvisioningSection } from './ProvisioningSection.tsx';

/** Members and their roles, invitations, seats (references 2.6, 3.2, 4.3). */
export function TeamPage() {
  const can = useMay('member.invite');
  return (
    <Page
      title="Team"
      hasColumns
      about="The owner manages the plan. Admins manage everything else. Members view, run and approve. Viewers only view."
      actions={<LeaveTeam />}
    >
      <Section title="Members" aside={<Seats />}>
        <Members />
      </Section>
      <Section title="Invite member">
        <InviteForm />
      </Section>
      <Section title="Pending invitations">
        {can.ok ? <Invites /> : <Locked title="You can't view invitations" reason={can.reason} />}
      </Section>
      <GroupRoles />
      <GrantSections />
      <ProvisioningSection />
      <Ownership />
    </Page>
  );
}

function Seats() {
  const { data } = useQuery(read('showUsage'));
  if (data === undefined) return null;
  return (
    <span className="whitespace-nowrap">
      Seats (incl. invitations): {data.seats.used}
      {data.seats.limit === null ? ' · unlimited' : ` of ${grouped(data.seats.limit)}`}
    </span>
  );
}

/** Every role but the owner can leave. */
function LeaveTeam() {
  const { role, username } = useAccount();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const leave = useAction('leaveTeam', { onDone: () => chooseWorkspace(undefined) });
  if (role === 'owner') return null;
  return (
    <>
      <Button kind="danger" onClick={() => setIsDialogOpen(true)}>
        Leave team
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Leave the team of ${username ?? 'this workspace'}?`}
        action="Leave team"
        isPending={leave.isPending}
        onConfirm={() => leave.mutate(undefined)}
      >
        <p>API keys that you created here stop working. To return, you need a new invitation.</p>
      </Confirm>
    </>
  );
}
