import { useQuery } from '@tanstack/react-query';
import { PendingApproval } from '../approval/PendingApproval.tsx';
import { Section } from '../design/Page.tsx';
import { NOW, WAITING_SHOWN } from './now-reads.ts';

/** Calls that wait for a person; where there are none, there is nothing to say. */
export function Waiting() {
  const { data } = useQuery(NOW.waiting);
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="Waits for you" aside={data.next_cursor !== null && `the newest ${WAITING_SHOWN}`}>
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
