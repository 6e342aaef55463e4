import { type FormEvent, useState } from 'react';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';
import { RuleFields } from './RuleFields.tsx';
import { changedRule, newRule, ruleDraftOf, ruleProblems } from './rule-draft.ts';

interface RuleDialogProps {
  readonly edited: Item<'listAlerts'> | 'new';
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

export function RuleDialog({ edited, onClose, onSecret }: RuleDialogProps) {
  const old = edited === 'new' ? undefined : edited;
  const [draft, setDraft] = useState(() => ruleDraftOf(old));
  const [isChecked, setIsChecked] = useState(false);
  const options = { changes: ['listAlerts'], isProblemShown: true } as const;
  const create = useAction('makeAlert', {
    ...options,
    doneMessage: ({ name }) => `Alert rule ${name} created`,
    onDone: ({ secret }) => {
      onClose();
      if (secret !== null) onSecret(secret);
    },
  });
  const change = useAction('changeAlert', {
    ...options,
    doneMessage: ({ name }) => `Alert rule ${name} saved`,
    onDone: onClose,
  });
  const problems = ruleProblems(draft, old === undefined);
  const error = create.error ?? change.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (Object.values(problems).some((problem) => problem !== undefined)) return;
    if (old === undefined) create.mutate({ body: newRule(draft) });
    else change.mutate({ parameters: { id: old.id }, body: changedRule(draft) });
  };
  return (
    <Dialog isOpen onClose={onClose} title={old ? `Edit ${old.name}` : 'Create alert rule'} isWide>
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <RuleFields
          draft={draft}
          onChange={(changed) => setDraft({ ...draft, ...changed })}
          target={old?.target}
          problems={isChecked ? problems : undefined}
        />
        {error && <Problem error={error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isPending={create.isPending || change.isPending}>
            {old ? 'Save rule' : 'Create rule'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
