import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { chosenWorkspace } from '../../account/chosen-workspace.ts';
import { classes } from '../../design/classes.ts';
import { Kbd } from '../../design/Kbd.tsx';
import { type Entry, findEntries, type RecentEntry, readRecent, recentEntry } from './entries.ts';
import { useEntries } from './use-entries.ts';

interface FinderProps {
  readonly onRun: (slug: string) => void;
  readonly onClose: () => void;
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };
/** Nothing is selected until a person types or moves. */
const NOTHING = -1;

/** The search field of the palette and its results (the ARIA combobox pattern). */
export function Finder({ onRun, onClose }: FinderProps) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(NOTHING);
  /** Enter was pressed on this text before its results were there. */
  const [entered, setEntered] = useState<string>();
  const navigate = useNavigate();
  const { entries, isLoading } = useEntries(typed.trim());
  const [recent] = useState(recentEntries);
  const found = useMemo(() => findEntries(entries, typed.trim(), recent), [entries, typed, recent]);
  const list = useId();
  const selected = found[Math.min(at, found.length - 1)];
  const choose = (entry: Entry) => {
    const { target } = entry;
    recordRecent(entries.find(({ id }) => id === entry.id) ?? entry);
    if (target.kind === 'run') return onRun(target.slug);
    onClose();
    if (target.kind === 'page') void navigate({ to: target.path });
    // The palette gives the focus back first: an action may open a dialog that takes it.
    else queueMicrotask(target.act);
  };
  useEffect(() => {
    if (isLoading || entered === undefined) return;
    setEntered(undefined);
    if (entered === typed && selected) choose(selected);
  });
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) setAt(stepTo(at, step, found.length));
    else if (event.key !== 'Enter') return;
    else if (isLoading && typed !== '') setEntered(typed);
    else if (selected) choose(selected);
    event.preventDefault();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type here.
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={selected && `${list}-${selected.id}`}
        aria-label="Search or run"
        placeholder="Run an endpoint, find a run, go to a page…"
        value={typed}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setAt(value.trim() === '' ? NOTHING : 0);
        }}
        onKeyDown={press}
        spellCheck={false}
        autoComplete="off"
        className="h-12 w-full shrink-0 border-b border-line bg-transparent px-4 text-lg outline-none placeholder:text-soft"
      />
      <div id={list} role="listbox" aria-label="Results" className="overflow-y-auto py-1">
        {found.map((entry, index) => (
          <EntryRow
            key={entry.id}
            id={`${list}-${entry.id}`}
            entry={entry}
            isFirst={entry.group !== found[index - 1]?.group}
            isSelected={entry === selected}
            onChoose={() => choose(entry)}
          />
        ))}
        {found.length === 0 && (
          <p className="px-4 py-3 text-soft">{isLoading ? 'Searching…' : `No results for “${typed}”.`}</p>
        )}
      </div>
    </>
  );
}

interface EntryRowProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isFirst: boolean;
  readonly isSelected: boolean;
  readonly onChoose: () => void;
}

function EntryRow({ id, entry, isFirst, isSelected, onChoose }: EntryRowProps) {
  const { group, label, about, keys, isCode = false } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the selected one.
    <div
      role="option"
      id={id}
      aria-selected={isSelected}
      onClick={onChoose}
      ref={(row) => void (isSelected && row?.scrollIntoView({ block: 'nearest' }))}
      className={classes(
        'flex min-h-9 cursor-pointer items-center gap-3 px-4 hover:bg-sunken',
        isSelected && 'bg-accent-wash hover:bg-accent-wash',
      )}
    >
      <span aria-hidden="true" className="w-20 shrink-0 text-xs text-soft">
        {isFirst && group}
      </span>
      <span className={classes('truncate', isCode && 'shrink-0 font-mono', !about && 'grow')}>{label}</span>
      {about && <span className="grow truncate text-soft">{about}</span>}
      {keys && <Kbd keys={keys} />}
    </div>
  );
}

/** The index after an arrow key; wraps around at both ends. */
function stepTo(at: number, step: 1 | -1, count: number): number {
  if (at === NOTHING) return step === 1 ? 0 : count - 1;
  return count === 0 ? NOTHING : (at + step + count) % count;
}

const MAX_RECENT = 5;

/** The entries chosen last in this workspace, the last one first. */
function recentEntries(): readonly RecentEntry[] {
  return readRecent(localStorage.getItem(recentKey()));
}

function recordRecent(entry: Entry): void {
  const all = [recentEntry(entry), ...recentEntries().filter(({ id }) => id !== entry.id)];
  localStorage.setItem(recentKey(), JSON.stringify(all.slice(0, MAX_RECENT)));
}

function recentKey(): string {
  return `svc.recent.${chosenWorkspace() ?? ''}`;
}
