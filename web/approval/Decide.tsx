import { useAction } from '../api/use-action.ts';
import { Confirm } from '../design/overlay/Confirm.tsx';
import type { Approval, Decision } from './approval.ts';
import { HeldCommand } from './HeldCommand.tsx';

interface DecideProps {
  readonly approval: Approval;
  readonly decision: Decision;
  readonly onClose: () => void;
}

/** Says once more what will run, and what becomes of it. */
export function Decide({ approval, decision, onClose }: DecideProps) {
  const { endpoint, command, approval_id: id, agent_name: agent } = approval;
  const isYes = decision === 'approve';
  const decide = useAction('decideApproval', {
    changes: ['listApprovals', 'listExecutions'],
    told: () => (isYes ? `${endpoint} is approved, and on its way` : `${endpoint} is denied`),
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
          ? `It starts at once on the agent ${agent}, exactly as shown.`
          : 'Nothing runs, and the caller is told.'}
      </p>
    </Confirm>
  );
}
