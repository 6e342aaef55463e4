import { useMay } from '../account/account.ts';
import { Locked } from '../design/list/Locked.tsx';
import { Page, Section } from '../design/Page.tsx';
import { InviteForm } from './InviteForm.tsx';
import { Invites } from './Invites.tsx';
import { LeaveTeam } from './LeaveTeam.tsx';
import { Members } from './Members.tsx';
import { Seats } from './Seats.tsx';

/** Members and their roles, invitations, seats (references 2.6, 3.2, 4.3). */
export function TeamPage() {
  const can = useMay('member.invite');
  return (
    <Page
      title="Team"
      about="The owner manages the plan. Admins manage everything else. Members view, run and approve."
      actions={<LeaveTeam />}
    >
      <Seats />
      <Section title="Members">
        <Members />
      </Section>
      <Section title="Invite member">
        <InviteForm />
      </Section>
      <Section title="Pending invitations">
        {can.ok ? <Invites /> : <Locked title="You can't view invitations" reason={can.reason} />}
      </Section>
    </Page>
  );
}
