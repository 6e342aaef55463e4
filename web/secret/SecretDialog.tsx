import { isAgentName } from '@svc/core/protocol/agent-name';
import { secretNameProblem, secretValueProblem } from '@svc/core/secret/secret';
import { type FormEvent, useState } from 'react';
import { useAgentNames } from '../agent/use-agent-names.ts';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { PickMany } from '../design/form/PickMany.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';

interface SecretDialogProps {
  readonly edited: Item<'listSecrets'> | 'new';
  readonly onClose: () => void;
}

/** Sets the value of a new or existing secret, with the same checks as the hub. */
export function SecretDialog({ edited, onClose }: SecretDialogProps) {
  const isNew = edited === 'new';
  const [name, setName] = useState(isNew ? '' : edited.name);
  const [value, setValue] = useState('');
  const [names, setNames] = useState<readonly string[]>(isNew ? [] : (edited.agents ?? []));
  const [isChecked, setIsChecked] = useState(false);
  const set = useAction('setSecret', {
    changes: ['listSecrets'],
    doneMessage: (_, { parameters }) => `Secret ${parameters.secret} saved`,
    onDone: onClose,
    isProblemShown: true,
  });
  const problems = {
    name: secretNameProblem(name),
    value: secretValueProblem(value),
    agents: agentsProblem(names),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (Object.values(problems).some((problem) => problem !== undefined)) return;
    const body = names.length === 0 ? { value } : { value, agents: [...names] };
    set.mutate({ parameters: { secret: name }, body });
  };
  const shown = (problem: string | undefined) => (isChecked ? problem : undefined);
  return (
    <Dialog isOpen onClose={onClose} title={isNew ? 'Create secret' : `Replace ${edited.name}`}>
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        {isNew && (
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            isCode
            hint="Letters, digits and _. Commands reference it as $svc:NAME."
            problem={shown(problems.name)}
          />
        )}
        <TextField
          label="Value"
          value={value}
          onChange={setValue}
          isCode
          rows={3}
          hint="You can't view it again."
          problem={shown(problems.value)}
          input={{ autoComplete: 'off' }}
        />
        <PickMany
          label="Agents"
          values={names}
          onChange={setNames}
          names={useAgentNames()}
          hint="Leave empty for all current agents; later agents need your approval."
          problem={shown(problems.agents)}
        />
        {set.error && <Problem error={set.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isPending={set.isPending}>
            {isNew ? 'Create secret' : 'Replace secret'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function agentsProblem(names: readonly string[]): string | undefined {
  const wrong = names.find((name) => !isAgentName(name));
  return wrong === undefined ? undefined : `"${wrong}" is not an agent name.`;
}
