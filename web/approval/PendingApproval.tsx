import { useMay } from '../account/account.ts';
import { Button } from '../design/Button.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { useNow } from '../design/time/now.ts';
import { showExactTimes } from '../design/time/Time.tsx';
import { duration, roughSpan } from '../design/time/time-words.ts';
import type { ListedApproval } from './approval.ts';
import { askDecision } from './asked-decision.ts';
import { RequestedCall } from './RequestedCall.tsx';
import { usePendingOf } from './use-pending-of.ts';

const WHY_NOT = {
  yes: undefined,
  not_approver: 'Only the approvers of this endpoint can decide (approvers in its definition).',
  own_call: 'You made this call. Another person must decide.',
  unknown_caller:
    'The caller is unknown, and this endpoint requires approval by a person other than the caller.',
  needs_session: 'Sign in in this browser to decide.',
} as const;

/** A browser has no key to sign with. */
function signedOnly(id: string): string {
  return `This endpoint accepts only signed approvals. Run: svc approvals approve ${id}`;
}

interface PendingApprovalProps {
  readonly approval: ListedApproval;
}

/** A pending approval: the command, the caller, the time left, and the buttons to decide. */
export function PendingApproval({ approval }: PendingApprovalProps) {
  const allowed = useMay('endpoint.execute');
  const why = allowed.ok ? WHY_NOT[approval.may_decide ?? 'yes'] : allowed.reason;
  const signing = approval.to_sign === null ? undefined : signedOnly(approval.approval_id);
  const { endpoint, expires_at: expiresAt } = approval;
  return (
    <article
      aria-label={`${endpoint} waits for approval`}
      className="flex flex-col gap-3 rounded border-l-4 border-l-waiting bg-raised p-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="flex items-center gap-2 font-semibold">
          <span className="text-waiting">
            <Mark shape="diamond" />
          </span>
          <code>{endpoint}</code>
        </span>
        <span className="text-sm text-waiting">
          <TimeLeft until={expiresAt} /> left
        </span>
      </div>
      <RequestedCall approval={approval} />
      {signing && <p className="text-sm text-soft wrap-anywhere">{signing}</p>}
      {why && <p className="text-sm text-soft">{why}</p>}
      <div className="mt-1 flex justify-between gap-8 sm:justify-end">
        <Button onClick={() => askDecision({ approval, decision: 'deny' })} why={why} data-key="d">
          Deny…
        </Button>
        <Button
          kind="primary"
          onClick={() => askDecision({ approval, decision: 'approve' })}
          why={why ?? signing}
          data-key="a"
        >
          Approve…
        </Button>
      </div>
    </article>
  );
}

/** The time until an approval expires, updated every second. */
function TimeLeft({ until }: { readonly until: string }) {
  const untilMs = Date.parse(until);
  const nowMs = useNow(1_000);
  return (
    <time dateTime={until} onPointerEnter={showExactTimes}>
      {leftWords(Math.max(0, untilMs - nowMs))}
    </time>
  );
}

/** In two units from an hour on: four hours are not "3 h" after a second. */
function leftWords(ms: number): string {
  return ms < HOUR_MS ? roughSpan(ms) : duration(ms);
}

const HOUR_MS = 3_600_000;

/** The pending approval of an execution, on the page of the execution or of its pipeline run. */
export function PendingApprovalOf({ executionId, endpoint }: PendingApprovalOfProps) {
  const { approvals } = usePendingOf([executionId], endpoint);
  const [approval] = approvals;
  return approval && <PendingApproval approval={approval} />;
}

interface PendingApprovalOfProps {
  readonly executionId: string;
  readonly endpoint: string;
}
