import { isAgentName } from '@svc/core/protocol/agent-name';
import { type FormEvent, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Checkbox } from '../design/form/Checkbox.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';

interface NewTokenDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}

export function NewTokenDialog({ onClose, onCreated }: NewTokenDialogProps) {
  const [name, setName] = useState('');
  const [agentName, setAgentName] = useState('');
  const [isPool, setIsPool] = useState(false);
  const [isChecked, setIsChecked] = useState(false);
  const create = useAction('makeAgentToken', {
    changes: ['listAgentTokens'],
    isProblemShown: true,
    onDone: ({ token }) => {
      onClose();
      onCreated(token);
    },
  });
  const problems = {
    name: name.trim() === '' ? 'Enter a name.' : undefined,
    agentName:
      agentName === '' || isAgentName(agentName)
        ? undefined
        : 'Use letters, digits, ".", "_" or "-", starting with a letter or digit.',
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (problems.name !== undefined || problems.agentName !== undefined) return;
    create.mutate({ body: { name: name.trim(), ...(agentName && { agent_name: agentName }), pool: isPool } });
  };
  return (
    <Dialog isOpen onClose={onClose} title="Create agent token">
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="For example: build server."
          problem={isChecked ? problems.name : undefined}
          input={{ autoFocus: true }}
        />
        <TextField
          label="Agent name"
          value={agentName}
          onChange={setAgentName}
          isCode
          hint="Leave empty to allow any unreserved name. The token then belongs to the first agent that connects with it."
          problem={isChecked ? problems.agentName : undefined}
        />
        <Checkbox isChecked={isPool} onChange={setIsPool}>
          Pool: every process with this token may read the secrets of its agent
        </Checkbox>
        {create.error && <Problem error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            Create token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
