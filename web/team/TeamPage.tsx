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
      about="The owner made the account. Admins change everything but the plan; members see, run and approve."
      actions={<LeaveTeam />}
    >
      <Seats />
      <Section title="Members">
        <Members />
      </Section>
      <Section title="Invite somebody">
        <InviteForm />
      </Section>
      <Section title="Invitations that wait for an answer">
        {can.ok ? <Invites /> : <Locked what="Invitations" reason={can.reason} />}
      </Section>
    </Page>
  );
}
