import { isAgentName } from '@svc/core/protocol/agent-name';
import { type FormEvent, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Checkbox } from '../design/form/Checkbox.tsx';
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
  const [isPool, setIsPool] = useState(false);
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
    make.mutate({ body: { name: name.trim(), ...(agentName && { agent_name: agentName }), pool: isPool } });
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
          hint="Empty: the name under which an agent connects with it first. It works under no other name."
          problem={isChecked ? problems.agentName : undefined}
        />
        <Checkbox isChecked={isPool} onChange={setIsPool}>
          For a pool: every process that uses it may have the secrets of its agent
        </Checkbox>
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
