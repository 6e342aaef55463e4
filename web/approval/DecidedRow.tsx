import { withShownAddresses } from '@svc/core/text/shown-address';
import { Link } from '@tanstack/react-router';
import { Row } from '../design/list/Row.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import type { Approval } from './approval.ts';

/** Endpoint, decision, approver and both times (reference 2.7). */
export function DecidedRow({ approval }: { readonly approval: Approval }) {
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
