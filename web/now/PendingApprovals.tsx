import { useQuery } from '@tanstack/react-query';
import { PendingApproval } from '../approval/PendingApproval.tsx';
import { Section } from '../design/Page.tsx';
import { MAX_PENDING } from '../first-reads.ts';
import { NOW } from './now-reads.ts';

/** The pending approvals; renders nothing when there are none. */
export function PendingApprovals() {
  const { data } = useQuery(NOW.waiting);
  if (data === undefined || data.items.length === 0) return null;
  const isSingle = data.items.length === 1;
  return (
    // A single one stands in the column of what runs; several stand side by side, across both columns.
    <div className={isSingle ? 'min-w-0' : 'min-w-0 lg:col-span-2'}>
      <Section title="Needs your approval" aside={data.next_cursor !== null && `latest ${MAX_PENDING}`}>
        <ul className={isSingle ? 'grid' : 'grid gap-3 lg:grid-cols-2'}>
          {data.items.map((approval) => (
            <li key={approval.approval_id} data-row="" className="min-w-0">
              <PendingApproval approval={approval} />
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}
