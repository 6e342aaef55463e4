import { useState } from 'react';
import { problemWords } from '../api/refusal-words.ts';
import { useAction } from '../api/use-action.ts';
import { TextField } from '../design/form/TextField.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { showProblem } from '../design/overlay/toasts.ts';
import { type Decision, type ListedApproval, MAX_COMMENT_CHARS } from './approval.ts';
import { RequestedCall } from './RequestedCall.tsx';

interface DecideProps {
  readonly approval: ListedApproval;
  readonly decision: Decision;
  readonly onClose: () => void;
}

/** Confirms a decision: shows the call once more, what the decision does, and takes a comment. */
export function Decide({ approval, decision, onClose }: DecideProps) {
  const { endpoint, approval_id: id, execution_id: executionId, agent_name: agent } = approval;
  const [comment, setComment] = useState('');
  const isYes = decision === 'approve';
  const needsPasskey = isYes && approval.needs_passkey;
  const [isConfirming, setIsConfirming] = useState(false);
  const decide = useAction('decideApproval', {
    changes: ['listApprovals', 'listExecutions', 'showExecution', 'showPipelineRun', 'countWaiting'],
    doneMessage: () => (isYes ? `${endpoint} approved` : `${endpoint} denied`),
    doneLink: () => ({ label: 'View execution', path: `/executions/${executionId}` }),
    onDone: onClose,
  });
  const confirm = async () => {
    const said = comment.trim() === '' ? {} : { comment: comment.trim() };
    if (!needsPasskey) return decide.mutate({ parameters: { id }, body: { decision, ...said } });
    setIsConfirming(true);
    try {
      const { confirmWithPasskey } = await import('./confirm-with-passkey.ts');
      const passkey = await confirmWithPasskey(id);
      decide.mutate({ parameters: { id }, body: { decision, ...said, passkey } });
    } catch (error) {
      const { title, advice } = problemWords(error);
      showProblem(title, advice);
    } finally {
      setIsConfirming(false);
    }
  };
  return (
    <Confirm
      isOpen
      isWide
      onClose={onClose}
      title={isYes ? `Run ${endpoint}?` : `Deny ${endpoint}?`}
      action={needsPasskey ? 'Approve with passkey' : isYes ? 'Approve and run' : 'Deny'}
      isHarmless={isYes}
      isPending={decide.isPending || isConfirming}
      onConfirm={() => void confirm()}
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
          ? `${needsPasskey ? 'Your browser asks for your passkey. ' : ''}The command starts at once on agent ${agent}, exactly as shown.`
          : 'The command does not run. The caller is notified.'}
      </p>
    </Confirm>
  );
}
