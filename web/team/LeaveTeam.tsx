import { useState } from 'react';
import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';

/** For everybody but the owner. */
export function LeaveTeam() {
  const { role, username } = useAccount();
  const [isAsked, setIsAsked] = useState(false);
  const leave = useAction('leaveTeam', { onDone: () => chooseWorkspace(undefined) });
  if (role === 'owner') return null;
  return (
    <>
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        Leave the team
      </Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Leave the team of ${username ?? 'this workspace'}?`}
        action="Leave the team"
        isPending={leave.isPending}
        onConfirm={() => leave.mutate(undefined)}
      >
        <p>The API keys that you made here end with it. To come back you must be invited again.</p>
      </Confirm>
    </>
  );
}
