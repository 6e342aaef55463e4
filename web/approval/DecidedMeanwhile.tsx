import { withShownAddresses } from '@svc/core/text/shown-address';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import type { ListedApproval } from './approval.ts';

type Decided = Pick<ListedApproval, 'status' | 'decided_by' | 'decided_at' | 'comment'>;

/** What happened to an approval while its dialog was open: who decided what, and when. */
export function DecidedMeanwhile({ approval }: { readonly approval: Decided }) {
  const { status, decided_by: by, decided_at: at, comment } = approval;
  return (
    <p role="alert" className="rounded bg-waiting-wash px-3 py-2 wrap-anywhere">
      <span className="font-semibold">
        {by === null ? (
          WITHOUT_PERSON[status]
        ) : (
          <>
            <Visible text={withShownAddresses(by)} /> {VERBS[status]} this call
          </>
        )}
        {at !== null && (
          <>
            {' '}
            <Time at={at} />
          </>
        )}
        .
      </span>{' '}
      {comment !== null && (
        <>
          “<Visible text={comment} />”{' '}
        </>
      )}
      You can no longer decide.
    </p>
  );
}

const VERBS = {
  pending_approval: 'changed',
  approved: 'approved',
  denied: 'denied',
  expired: 'ended',
} as const satisfies Record<Decided['status'], string>;

const WITHOUT_PERSON = {
  pending_approval: 'The approval has changed',
  approved: 'The call was approved',
  denied: 'The call was denied',
  expired: 'The approval expired',
} as const satisfies Record<Decided['status'], string>;
