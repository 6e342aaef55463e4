import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page, Section } from '../design/Page.tsx';
import { DecidedRow } from './DecidedRow.tsx';
import { PendingApproval } from './PendingApproval.tsx';

const PENDING_HEIGHT = 140;

/** Pending approvals, and the history of decisions (references 2.7 and 4.3). */
export function ApprovalsPage() {
  const pending = useInfiniteQuery(readPages('listApprovals', { query: { status: 'pending_approval' } }));
  const decided = useInfiniteQuery(readPages('listApprovals', { query: { status: 'decided' } }));
  return (
    <Page title="Approvals" about="Calls waiting for approval. Each runs once, exactly as shown.">
      <Section title="Waiting">
        <QueryList
          query={pending}
          what="pending approvals"
          idOf={({ approval_id }) => approval_id}
          row={(approval) => (
            <div className="py-2">
              <PendingApproval approval={approval} />
            </div>
          )}
          rowHeight={PENDING_HEIGHT}
          empty={
            <Empty title="No pending approvals">
              <p>
                Calls of endpoints with <code>approval_required: true</code> wait here. You can also decide on
                the page whose link the caller receives.
              </p>
            </Empty>
          }
        />
      </Section>
      <Section title="History">
        <QueryList
          query={decided}
          what="decisions"
          idOf={({ approval_id }) => approval_id}
          row={(approval) => <DecidedRow approval={approval} />}
          empty={<p className="py-2 text-soft">No decisions yet.</p>}
        />
      </Section>
    </Page>
  );
}
