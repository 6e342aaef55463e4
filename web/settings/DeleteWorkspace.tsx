import { useState } from 'react';
import { useAccount, useMay } from '../account/account.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';

/** There is no way back: the username is asked for, letter by letter. */
export function DeleteWorkspace() {
  const can = useMay('workspace.delete');
  const { username } = useAccount();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useAction('deleteWorkspace', { onDone: () => location.assign('/login') });
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="max-w-prose text-soft">
        Endpoints, executions with their output, secrets, keys and members are removed; what runs is
        cancelled. The username is never given out again.
      </p>
      <Button kind="danger" onClick={() => setIsAsked(true)} why={can.ok ? undefined : can.reason}>
        Delete the workspace
      </Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete the workspace ${username ?? ''}?`}
        action="Delete the workspace"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ body: { username } })}
        {...(username !== null && { typed: username })}
      >
        <p>Everything in it is gone then. Nothing brings it back.</p>
      </Confirm>
    </div>
  );
}
