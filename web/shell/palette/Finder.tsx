import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { classes } from '../../design/classes.ts';
import { Kbd } from '../../design/Kbd.tsx';
import { type Found, stepTo } from './found.ts';
import { useFound } from './use-found.ts';

interface FinderProps {
  readonly onRun: (slug: string) => void;
  readonly onClose: () => void;
}

const HEADINGS = { run: 'Run', go: 'Go to', do: 'Action' } as const;
const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** The search field of the palette and its results (the ARIA combobox pattern). */
export function Finder({ onRun, onClose }: FinderProps) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const found = useFound(typed.trim());
  const list = useId();
  const chosen = found[Math.min(at, found.length - 1)];
  const choose = (one: Found) => {
    if (one.kind === 'run') return onRun(one.slug);
    onClose();
    if (one.kind === 'go') void navigate({ to: one.item.to });
    else one.act();
  };
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) setAt(stepTo(at, step, found.length));
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else return;
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
        aria-activedescendant={chosen && `${list}-${chosen.id}`}
        aria-label="Search or run"
        placeholder="Run an endpoint, go to a page…"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
        spellCheck={false}
        className="h-12 w-full shrink-0 border-b border-line bg-transparent px-4 text-lg outline-none placeholder:text-soft"
      />
      <div id={list} role="listbox" aria-label="Results" className="overflow-y-auto py-1">
        {found.map((one, index) => (
          <FoundRow
            key={one.id}
            id={`${list}-${one.id}`}
            one={one}
            isFirst={one.kind !== found[index - 1]?.kind}
            isChosen={one === chosen}
            onChoose={() => choose(one)}
          />
        ))}
        {found.length === 0 && <p className="px-4 py-3 text-soft">No results for “{typed}”.</p>}
      </div>
    </>
  );
}

interface FoundRowProps {
  readonly id: string;
  readonly one: Found;
  readonly isFirst: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function FoundRow({ id, one, isFirst, isChosen, onChoose }: FoundRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the chosen one.
    <div
      role="option"
      id={id}
      aria-selected={isChosen}
      onClick={onChoose}
      ref={(row) => void (isChosen && row?.scrollIntoView({ block: 'nearest' }))}
      className={classes(
        'flex min-h-9 cursor-pointer items-center gap-3 px-4 hover:bg-sunken',
        isChosen && 'bg-accent-wash hover:bg-accent-wash',
      )}
    >
      <span aria-hidden="true" className="w-12 shrink-0 text-xs text-soft">
        {isFirst && HEADINGS[one.kind]}
      </span>
      <FoundWords one={one} />
    </div>
  );
}

function FoundWords({ one }: { readonly one: Found }) {
  switch (one.kind) {
    case 'run':
      return (
        <>
          <code className="shrink-0">{one.slug}</code>
          <span className="truncate text-soft">{one.about}</span>
        </>
      );
    case 'go':
      return (
        <>
          <span className="grow">{one.item.label}</span>
          <Kbd keys={`g ${one.item.key}`} />
        </>
      );
    case 'do':
      return one.label;
  }
}
