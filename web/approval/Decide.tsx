import { useAction } from '../api/use-action.ts';
import { Confirm } from '../design/overlay/Confirm.tsx';
import type { Approval, Decision } from './approval.ts';
import { HeldCommand } from './HeldCommand.tsx';

interface DecideProps {
  readonly approval: Approval;
  readonly decision: Decision;
  readonly onClose: () => void;
}

/** Confirms a decision: shows the command once more, and what the decision does. */
export function Decide({ approval, decision, onClose }: DecideProps) {
  const { endpoint, command, approval_id: id, agent_name: agent } = approval;
  const isYes = decision === 'approve';
  const decide = useAction('decideApproval', {
    changes: ['listApprovals', 'listExecutions'],
    doneMessage: () => (isYes ? `${endpoint} approved` : `${endpoint} denied`),
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={isYes ? `Run ${endpoint}?` : `Deny ${endpoint}?`}
      action={isYes ? 'Approve and run' : 'Deny'}
      isHarmless={isYes}
      isPending={decide.isPending}
      onConfirm={() => decide.mutate({ parameters: { id }, body: { decision } })}
    >
      <HeldCommand command={command} />
      <p className="text-soft">
        {isYes
          ? `The command starts at once on agent ${agent}, exactly as shown.`
          : 'The command does not run. The caller is notified.'}
      </p>
    </Confirm>
  );
}
