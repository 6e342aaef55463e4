import { withShownAddresses } from '@svc/core/text/shown-address';
import { Suspense, useState } from 'react';
import { useMay } from '../account/account.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { Button } from '../design/Button.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { useNow } from '../design/time/now.ts';
import { Time } from '../design/time/Time.tsx';
import { exactTime, roughSpan } from '../design/time/time-words.ts';
import type { Approval, Decision } from './approval.ts';
import { HeldCommand } from './HeldCommand.tsx';

const Decide = lazyPart(async () => (await import('./Decide.tsx')).Decide);

const WHY_NOT = {
  yes: undefined,
  not_approver: 'Only the approvers of this endpoint can decide (approvers in its definition).',
  own_call: 'You made this call. Another person must decide.',
  unknown_caller:
    'The caller is unknown, and this endpoint requires approval by a person other than the caller.',
} as const;

/** A browser has no key to sign with. */
function signedOnly(id: string): string {
  return `This endpoint accepts only signed approvals. Run: svc approvals approve ${id}`;
}

interface PendingApprovalProps {
  readonly approval: Approval;
}

/** A pending approval: the command, the caller, the time left, and the buttons to decide. */
export function PendingApproval({ approval }: PendingApprovalProps) {
  const [decision, setDecision] = useState<Decision>();
  const allowed = useMay('endpoint.execute');
  const why = allowed.ok ? WHY_NOT[approval.may_decide ?? 'yes'] : allowed.reason;
  const signing = approval.to_sign === null ? undefined : signedOnly(approval.approval_id);
  const {
    endpoint,
    command,
    values,
    requested_by: by,
    created_at: createdAt,
    expires_at: expiresAt,
  } = approval;
  return (
    <article
      aria-label={`${endpoint} waits for approval`}
      className="flex flex-col gap-2 rounded border border-line border-l-4 border-l-waiting bg-raised p-3"
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
      {values.map(
        ({ name, notice }) =>
          notice && (
            <p key={name} role="alert" className="border-2 border-bad px-3 py-2 font-semibold text-bad">
              <code>{name}</code>: {notice}
            </p>
          ),
      )}
      <HeldCommand command={command} />
      {signing && <p className="text-sm text-soft wrap-anywhere">{signing}</p>}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-sm text-soft wrap-anywhere">
          Requested <Time at={createdAt} /> by <Visible text={withShownAddresses(by)} />
        </span>
        <span className="flex grow justify-between gap-8 sm:grow-0">
          <Button onClick={() => setDecision('deny')} why={why} data-key="d">
            Deny…
          </Button>
          <Button kind="primary" onClick={() => setDecision('approve')} why={why ?? signing} data-key="a">
            Approve…
          </Button>
        </span>
      </div>
      <Suspense>
        {decision && (
          <Decide approval={approval} decision={decision} onClose={() => setDecision(undefined)} />
        )}
      </Suspense>
    </article>
  );
}

/** The time until an approval expires, updated every second. */
function TimeLeft({ until }: { readonly until: string }) {
  const untilMs = Date.parse(until);
  const nowMs = useNow(1_000);
  return (
    <time dateTime={until} title={exactTime(untilMs)}>
      {roughSpan(Math.max(0, untilMs - nowMs))}
    </time>
  );
}
