import { may } from '@svc/core/workspace/permissions';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Item, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Checkbox } from '../design/form/Checkbox.tsx';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';

const DAY_MS = 86_400_000;
/** Endpoints that a search shows. */
const SHOWN = 50;
const MAX_PIPELINES = 100;
const LIVES = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
] as const;

interface NewKeyDialogProps {
  /** The service account that gets the key; absent: the person does. */
  readonly account?: Item<'listServiceAccounts'>;
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}

export function NewKeyDialog({ account, onClose, onCreated }: NewKeyDialogProps) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<(typeof LIVES)[number]['value']>('');
  const [isLimited, setIsLimited] = useState(false);
  const [slugs, setSlugs] = useState<ReadonlySet<string>>(new Set());
  const [isChecked, setIsChecked] = useState(false);
  const onDone = ({ token }: { readonly token: string }) => {
    onClose();
    onCreated(token);
  };
  const createOwn = useAction('makeApiKey', { changes: ['listApiKeys'], isProblemShown: true, onDone });
  const createOfAccount = useAction('makeServiceAccountKey', {
    changes: ['listServiceAccounts'],
    isProblemShown: true,
    onDone,
  });
  const { isPending, error } = account === undefined ? createOwn : createOfAccount;
  const mayCall = account === undefined || may(account.role, 'endpoint.execute');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (name.trim() === '') return;
    const body = {
      name: name.trim(),
      ...(isLimited && { endpoints: [...slugs] }),
      ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    };
    if (account === undefined) createOwn.mutate({ body });
    else createOfAccount.mutate({ parameters: { id: account.id }, body });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={account === undefined ? 'Create API key' : `Create key of ${account.name}`}
    >
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="For example: nightly build."
          problem={isChecked && name.trim() === '' ? 'Enter a name.' : undefined}
          input={{ autoFocus: true }}
        />
        <Select label="Expires" options={LIVES} value={days} onChange={setDays} />
        {mayCall && (
          <Checkbox isChecked={isLimited} onChange={setIsLimited}>
            {account === undefined
              ? 'Only some endpoints and pipelines'
              : 'Only call some endpoints and pipelines'}
          </Checkbox>
        )}
        {isLimited && <ScopeChoice chosen={slugs} onChange={setSlugs} />}
        {error && <Problem error={error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isPending={isPending}
            why={isLimited && slugs.size === 0 ? 'Select at least one endpoint or pipeline.' : undefined}
          >
            Create key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ScopeChoiceProps {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (slugs: ReadonlySet<string>) => void;
}

function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  const [search, setSearch] = useState('');
  const { data } = useQuery(read('listEndpoints', { query: { limit: SHOWN, ...(search && { search }) } }));
  const { data: pipelines } = useQuery(read('listPipelines', { query: { limit: MAX_PIPELINES } }));
  const found = [
    ...(data?.items.map(({ slug }) => slug) ?? []),
    ...(pipelines?.items.map(({ slug }) => slug) ?? []).filter((slug) => slug.includes(search)),
  ];
  const shown = [...new Set([...chosen, ...found])];
  const toggle = (slug: string, isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(slug);
    else next.delete(slug);
    onChange(next);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Allowed endpoints and pipelines</legend>
      <TextField label="Search endpoints and pipelines" value={search} onChange={setSearch} isCode />
      <div className="max-h-48 overflow-y-auto rounded border border-line px-2 py-1">
        {shown.map((slug) => (
          <Checkbox key={slug} isChecked={chosen.has(slug)} onChange={(isOn) => toggle(slug, isOn)}>
            <code>{slug}</code>
          </Checkbox>
        ))}
        {found.length === 0 && data !== undefined && (
          <p className="py-1 text-sm text-soft">No matching endpoint or pipeline.</p>
        )}
      </div>
    </fieldset>
  );
}
