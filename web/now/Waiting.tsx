import { useQuery } from '@tanstack/react-query';
import { PendingApproval } from '../approval/PendingApproval.tsx';
import { Section } from '../design/Page.tsx';
import { MAX_PENDING, NOW } from './now-reads.ts';

/** The pending approvals; renders nothing when there are none. */
export function PendingApprovals() {
  const { data } = useQuery(NOW.waiting);
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="Needs your approval" aside={data.next_cursor !== null && `latest ${MAX_PENDING}`}>
      <ul className="grid gap-3 lg:grid-cols-2">
        {data.items.map((approval) => (
          <li key={approval.approval_id} data-row="" className="min-w-0">
            <PendingApproval approval={approval} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
