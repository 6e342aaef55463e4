import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { problemWords } from '../api/refusal-words.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { showDone, showProblem } from '../design/overlay/toasts.ts';
import { type Decision, type ListedApproval, MAX_COMMENT_CHARS } from './approval.ts';
import { RequestedCall } from './RequestedCall.tsx';
import { usePendingOf } from './use-pending-of.ts';

interface DecideManyProps {
  readonly executionIds: readonly string[];
  readonly onClose: () => void;
}

/** Several pending approvals in one dialog: each call is shown as it will run, and one decision is for all of them. */
export function DecideMany({ executionIds, onClose }: DecideManyProps) {
  // As selected when the dialog opened: those that end meanwhile are named, too.
  const [wanted] = useState(executionIds);
  const { approvals, isComplete, error, readAgain } = usePendingOf(wanted);
  const mine = approvals.filter(canDecide);
  const [comment, setComment] = useState('');
  const decide = useDecideAll(mine, comment.trim(), onClose);
  const others = approvals.length - mine.length;
  const ended = wanted.length - approvals.length;
  const why = whyNot(isComplete, mine.length);
  return (
    <Dialog isOpen isWide onClose={onClose} title={`Decide on ${calls(mine.length)}`}>
      {isComplete ? (
        <div className="flex flex-col gap-6">
          {mine.map((approval) => (
            <article
              key={approval.approval_id}
              aria-label={approval.endpoint}
              className="flex flex-col gap-2"
            >
              <h3 className="font-mono">{approval.endpoint}</h3>
              <RequestedCall approval={approval} />
            </article>
          ))}
          {others > 0 && (
            <p className="text-soft">
              {calls(others)} of the selection cannot be decided here: another person must decide, or a
              signature or a passkey is needed.
            </p>
          )}
          {ended > 0 && (
            <p className="text-soft">
              {calls(ended)} of the selection {ended === 1 ? 'no longer waits' : 'no longer wait'} for
              approval.
            </p>
          )}
          <TextField
            label="Comment (optional)"
            value={comment}
            onChange={setComment}
            hint="For the callers and the audit log."
            input={{ maxLength: MAX_COMMENT_CHARS }}
          />
        </div>
      ) : error === null ? (
        <Loading what="the calls" />
      ) : (
        <Problem error={error} onRetry={readAgain} />
      )}
      <div className="mt-4 flex flex-wrap justify-between gap-4">
        <Button onClick={onClose}>Cancel</Button>
        <span className="flex gap-8">
          <Button kind="danger" why={why} isPending={decide.isPending} onClick={() => decide.mutate('deny')}>
            Deny {calls(mine.length)}
          </Button>
          <Button
            kind="primary"
            why={why}
            isPending={decide.isPending}
            onClick={() => decide.mutate('approve')}
          >
            Approve and run {calls(mine.length)}
          </Button>
        </span>
      </div>
    </Dialog>
  );
}

function whyNot(isComplete: boolean, many: number): string | undefined {
  if (!isComplete) return 'The calls are not loaded yet.';
  return many === 0 ? 'You can decide on none of these calls here.' : undefined;
}

/** A browser has no key to sign with, and a passkey confirms one call at a time. */
function canDecide({
  may_decide: mayDecide,
  to_sign: toSign,
  needs_passkey: needsPasskey,
}: ListedApproval): boolean {
  return toSign === null && !needsPasskey && (mayDecide ?? 'yes') === 'yes';
}

function useDecideAll(approvals: readonly ListedApproval[], comment: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (decision: Decision) =>
      Promise.allSettled(
        approvals.map(({ approval_id: id }) =>
          api.decideApproval({
            parameters: { id },
            body: { decision, ...(comment !== '' && { comment }) },
          }),
        ),
      ),
    async onSuccess(results, decision) {
      const changed = ['listApprovals', 'listExecutions', 'showExecution', 'showPipelineRun', 'countWaiting'];
      await Promise.all(changed.map((name) => client.invalidateQueries({ queryKey: [name] })));
      const word = decision === 'approve' ? 'approved' : 'denied';
      const failed = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as Error] : [],
      );
      const [first] = failed;
      if (first === undefined) showDone(`${calls(results.length)} ${word}`);
      else showProblem(`${failed.length} of ${calls(results.length)} not ${word}`, problemWords(first).title);
      onDone();
    },
  });
}

function calls(many: number): string {
  return many === 1 ? '1 call' : `${many} calls`;
}
