import { isAgentName } from '@svc/core/protocol/agent-name';
import { type FormEvent, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';

interface NewTokenDialogProps {
  readonly onClose: () => void;
  readonly onMade: (token: string) => void;
}

export function NewTokenDialog({ onClose, onMade }: NewTokenDialogProps) {
  const [name, setName] = useState('');
  const [agentName, setAgentName] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const make = useAction('makeAgentToken', {
    changes: ['listAgentTokens'],
    isProblemShown: true,
    onDone: ({ token }) => {
      onClose();
      onMade(token);
    },
  });
  const problems = {
    name: name.trim() === '' ? 'A name expected.' : undefined,
    agentName:
      agentName === '' || isAgentName(agentName)
        ? undefined
        : 'Letters, digits, ".", "_" and "-", the first a letter or digit, expected.',
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (problems.name !== undefined || problems.agentName !== undefined) return;
    make.mutate({ body: { name: name.trim(), ...(agentName && { agent_name: agentName }) } });
  };
  return (
    <Dialog isOpen onClose={onClose} title="Make an agent token">
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="What it is for, such as build server."
          problem={isChecked ? problems.name : undefined}
          input={{ autoFocus: true }}
        />
        <TextField
          label="Only under this agent name"
          value={agentName}
          onChange={setAgentName}
          isCode
          hint="Empty: an agent may connect under any name that no other token is bound to."
          problem={isChecked ? problems.agentName : undefined}
        />
        {make.error && <Problem error={make.error} />}
        <div className="flex justify-between gap-4">
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="primary" type="submit" isPending={make.isPending}>
            Make token
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
