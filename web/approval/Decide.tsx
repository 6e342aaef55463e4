import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { read } from '../api/read.ts';
import { problemWords } from '../api/refusal-words.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';
import { showProblem } from '../design/overlay/toasts.ts';
import { type Decision, type ListedApproval, MAX_COMMENT_CHARS } from './approval.ts';
import { DecidedMeanwhile } from './DecidedMeanwhile.tsx';
import { RequestedCall } from './RequestedCall.tsx';

interface DecideProps {
  readonly approval: ListedApproval;
  readonly decision: Decision;
  readonly onClose: () => void;
}

/** Confirms a decision: shows the call once more, what the decision does, and takes a comment. Says when another person was first. */
export function Decide({ approval, decision, onClose }: DecideProps) {
  const { endpoint, approval_id: id, execution_id: executionId, agent_name: agent } = approval;
  const [comment, setComment] = useState('');
  const isYes = decision === 'approve';
  const needsPasskey = isYes && approval.needs_passkey;
  const [isConfirming, setIsConfirming] = useState(false);
  const { data: current } = useQuery(read('showApproval', { parameters: { id } }));
  const decide = useAction('decideApproval', {
    changes: ['listApprovals', 'listExecutions', 'showExecution', 'showPipelineRun', 'countWaiting'],
    doneMessage: () => (isYes ? `${endpoint} approved` : `${endpoint} denied`),
    doneLink: () => ({ label: 'View execution', path: `/executions/${executionId}` }),
    onDone: onClose,
  });
  // The live event of one's own decision may arrive before its response.
  const isOwn = decide.isPending || decide.isSuccess;
  const decided =
    current === undefined || current.status === 'pending_approval' || isOwn ? undefined : current;
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
    <Dialog isOpen isWide onClose={onClose} title={isYes ? `Run ${endpoint}?` : `Deny ${endpoint}?`}>
      <div className="flex flex-col gap-3">
        <RequestedCall approval={approval} />
        {/* The field stays for a person who is typing. */}
        <TextField
          label="Comment (optional)"
          value={comment}
          onChange={setComment}
          hint="For the caller and the audit log."
          input={{ maxLength: MAX_COMMENT_CHARS }}
        />
        {decided === undefined ? (
          <p className="text-soft">
            {isYes
              ? `${needsPasskey ? 'Your browser asks for your passkey. ' : ''}The command starts at once on agent ${agent}, exactly as shown.`
              : 'The command does not run. The caller is notified.'}
          </p>
        ) : (
          <DecidedMeanwhile approval={decided} />
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{decided === undefined ? 'Cancel' : 'Close'}</Button>
        {decided === undefined ? (
          <Button
            kind={isYes ? 'primary' : 'danger'}
            onClick={() => void confirm()}
            isPending={decide.isPending || isConfirming}
          >
            {needsPasskey ? 'Approve with passkey' : isYes ? 'Approve and run' : 'Deny'}
          </Button>
        ) : (
          <Link
            to="/executions/$id"
            params={{ id: executionId }}
            className="self-center text-accent hover:underline"
          >
            View execution
          </Link>
        )}
      </DialogActions>
    </Dialog>
  );
}
