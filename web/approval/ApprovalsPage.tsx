import { withShownAddresses } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Page, Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { PAGE_HEADS } from '../page-heads.ts';
import type { ListedApproval } from './approval.ts';
import { PendingApproval } from './PendingApproval.tsx';

const PENDING_HEIGHT = 140;

/** Pending approvals, and the history of decisions (references 2.7 and 4.3). */
export function ApprovalsPage() {
  const pending = useInfiniteQuery(readPages('listApprovals', { query: { status: 'pending_approval' } }));
  const decided = useInfiniteQuery(readPages('listApprovals', { query: { status: 'decided' } }));
  return (
    <Page {...PAGE_HEADS['/approvals']}>
      <Section title="Waiting">
        <QueryList
          query={pending}
          what="pending approvals"
          idOf={({ approval_id }) => approval_id}
          row={(approval) => (
            <div className="pb-3">
              <PendingApproval approval={approval} />
            </div>
          )}
          rowHeight={PENDING_HEIGHT}
          isPlain
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
          empty={<p className="text-soft">No decisions yet.</p>}
        />
      </Section>
    </Page>
  );
}

/** Endpoint, decision, approver and both times (reference 2.7). */
function DecidedRow({ approval }: { readonly approval: ListedApproval }) {
  const { endpoint, status, decided_by, decided_at, created_at, requested_by, comment, execution_id } =
    approval;
  return (
    <Row
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          <Link to="/executions/$id" params={{ id: execution_id }} className="hover:underline">
            <code>{endpoint}</code>
          </Link>
          <span className="font-normal">
            <StateMark state={status} />
          </span>
        </span>
      }
      facts={[
        decided_by !== null && (
          <>
            by <Visible text={withShownAddresses(decided_by)} />
          </>
        ),
        decided_at !== null && <Time at={decided_at} />,
        <>
          requested <Time at={created_at} /> by <Visible text={withShownAddresses(requested_by)} />
        </>,
        comment !== null && (
          <>
            “<Visible text={comment} />”
          </>
        ),
      ]}
    />
  );
}
