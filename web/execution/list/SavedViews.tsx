import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../design/Button.tsx';
import { classes } from '../../design/classes.ts';
import { TextField } from '../../design/form/TextField.tsx';
import { X } from '../../design/icons.tsx';
import { Dialog } from '../../design/overlay/Dialog.tsx';
import type { ExecutionSearch } from './execution-search.ts';
import { type SavedView, useSavedViews } from './saved-views.ts';

const MAX_NAME_CHARS = 60;

/** The saved views as links, and the button that saves the current filters as one. */
export function SavedViews({ search }: { readonly search: ExecutionSearch }) {
  const { views, save, remove } = useSavedViews();
  const [isNaming, setIsNaming] = useState(false);
  const current = JSON.stringify(search);
  const known = views.find((view) => JSON.stringify(view.search) === current);
  const isNew = current !== '{}' && known === undefined;
  if (views.length === 0 && !isNew) return null;
  return (
    <nav aria-label="Saved views" className="flex flex-wrap items-center gap-2">
      {views.map((view) => (
        <ViewLink key={view.name} view={view} isCurrent={view === known} onRemove={() => remove(view.name)} />
      ))}
      {isNew && (
        <Button kind="plain" onClick={() => setIsNaming(true)}>
          Save view
        </Button>
      )}
      {isNaming && (
        <NameDialog
          onClose={() => setIsNaming(false)}
          onName={(name) => {
            save({ name, search });
            setIsNaming(false);
          }}
        />
      )}
    </nav>
  );
}

interface ViewLinkProps {
  readonly view: SavedView;
  readonly isCurrent: boolean;
  readonly onRemove: () => void;
}

function ViewLink({ view: { name, search }, isCurrent, onRemove }: ViewLinkProps) {
  return (
    <span
      className={classes(
        'inline-flex min-h-8 items-center rounded border',
        isCurrent ? 'border-accent bg-accent-wash' : 'border-line',
      )}
    >
      <Link
        to="/executions"
        search={search}
        aria-current={isCurrent ? 'page' : undefined}
        className="py-1 pl-3 hover:underline"
      >
        {name}
      </Link>
      <button
        type="button"
        aria-label={`Remove view ${name}`}
        title={`Remove view ${name}`}
        onClick={onRemove}
        className="cursor-pointer px-2 py-1 text-soft hover:text-ink"
      >
        <X className="size-4" />
      </button>
    </span>
  );
}

interface NameDialogProps {
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NameDialog({ onClose, onName }: NameDialogProps) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onName(name.trim());
  };
  return (
    <Dialog isOpen onClose={onClose} title="Save view">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="The filters and the time range, stored in this browser."
          input={{ maxLength: MAX_NAME_CHARS, autoFocus: true }}
        />
        <div className="flex justify-between gap-4">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" why={name.trim() === '' ? 'Enter a name first.' : undefined}>
            Save view
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
