import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { TextField } from '../design/form/TextField.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import type { Decision, ListedApproval } from './approval.ts';
import { RequestedCall } from './RequestedCall.tsx';

interface DecideProps {
  readonly approval: ListedApproval;
  readonly decision: Decision;
  readonly onClose: () => void;
}

const MAX_COMMENT_CHARS = 500;

/** Confirms a decision: shows the call once more, what the decision does, and takes a comment. */
export function Decide({ approval, decision, onClose }: DecideProps) {
  const { endpoint, approval_id: id, execution_id: executionId, agent_name: agent } = approval;
  const [comment, setComment] = useState('');
  const isYes = decision === 'approve';
  const decide = useAction('decideApproval', {
    changes: ['listApprovals', 'listExecutions', 'showExecution', 'showPipelineRun', 'countWaiting'],
    doneMessage: () => (isYes ? `${endpoint} approved` : `${endpoint} denied`),
    doneLink: () => ({ label: 'View execution', path: `/executions/${executionId}` }),
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      isWide
      onClose={onClose}
      title={isYes ? `Run ${endpoint}?` : `Deny ${endpoint}?`}
      action={isYes ? 'Approve and run' : 'Deny'}
      isHarmless={isYes}
      isPending={decide.isPending}
      onConfirm={() =>
        decide.mutate({
          parameters: { id },
          body: { decision, ...(comment.trim() !== '' && { comment: comment.trim() }) },
        })
      }
    >
      <RequestedCall approval={approval} />
      <TextField
        label="Comment (optional)"
        value={comment}
        onChange={setComment}
        hint="For the caller and the audit log."
        input={{ maxLength: MAX_COMMENT_CHARS }}
      />
      <p className="text-soft">
        {isYes
          ? `The command starts at once on agent ${agent}, exactly as shown.`
          : 'The command does not run. The caller is notified.'}
      </p>
    </Confirm>
  );
}
