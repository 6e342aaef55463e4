import { useState } from 'react';
import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';

/** Every role but the owner can leave. */
export function LeaveTeam() {
  const { role, username } = useAccount();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const leave = useAction('leaveTeam', { onDone: () => chooseWorkspace(undefined) });
  if (role === 'owner') return null;
  return (
    <>
      <Button kind="danger" onClick={() => setIsDialogOpen(true)}>
        Leave team
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Leave the team of ${username ?? 'this workspace'}?`}
        action="Leave team"
        isPending={leave.isPending}
        onConfirm={() => leave.mutate(undefined)}
      >
        <p>API keys that you created here stop working. To return, you need a new invitation.</p>
      </Confirm>
    </>
  );
}
