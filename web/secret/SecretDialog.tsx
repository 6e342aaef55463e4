import { isAgentName } from '@svc/core/protocol/agent-name';
import { secretNameProblem, secretValueProblem } from '@svc/core/secret/secret';
import { type FormEvent, useState } from 'react';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';

interface SecretDialogProps {
  readonly edited: Item<'listSecrets'> | 'new';
  readonly onClose: () => void;
}

/** Sets the value of a secret, new or not, by the rules that the hub checks with. */
export function SecretDialog({ edited, onClose }: SecretDialogProps) {
  const isNew = edited === 'new';
  const [name, setName] = useState(isNew ? '' : edited.name);
  const [value, setValue] = useState('');
  const [agents, setAgents] = useState(isNew ? '' : (edited.agents ?? []).join(', '));
  const [isChecked, setIsChecked] = useState(false);
  const set = useAction('setSecret', {
    changes: ['listSecrets'],
    told: (_, { parameters }) => `The secret ${parameters.secret} is set`,
    onDone: onClose,
    isProblemShown: true,
  });
  const names = namesIn(agents);
  const problems = {
    name: secretNameProblem(name),
    value: secretValueProblem(value),
    agents: agentsProblem(names),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (Object.values(problems).some((problem) => problem !== undefined)) return;
    const body = names.length === 0 ? { value } : { value, agents: names };
    set.mutate({ parameters: { secret: name }, body });
  };
  const shown = (problem: string | undefined) => (isChecked ? problem : undefined);
  return (
    <Dialog isOpen onClose={onClose} title={isNew ? 'Set a secret' : `Set ${edited.name} anew`}>
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        {isNew && (
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            isCode
            hint="Letters, digits and _: commands write $svc:NAME."
            problem={shown(problems.name)}
          />
        )}
        <TextField
          label="Value"
          value={value}
          onChange={setValue}
          isCode
          rows={3}
          hint="Nobody can read it here again."
          problem={shown(problems.value)}
          input={{ autoComplete: 'off' }}
        />
        <TextField
          label="Only for these agents"
          value={agents}
          onChange={setAgents}
          isCode
          hint="Names with commas between them. Empty: all agents that exist now; later ones wait for your decision."
          problem={shown(problems.agents)}
        />
        {set.error && <Problem error={set.error} />}
        <div className="flex justify-between gap-4">
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="primary" type="submit" isPending={set.isPending}>
            Set secret
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function agentsProblem(names: readonly string[]): string | undefined {
  const wrong = names.find((name) => !isAgentName(name));
  return wrong === undefined ? undefined : `"${wrong}": the name of an agent expected`;
}
