import { Combobox } from '@base-ui/react/combobox';
import { Field } from '@base-ui/react/field';
import { useState } from 'react';
import { Check, X } from '../icons.tsx';
import { useLandmark } from '../overlay/landmark.ts';
import { ITEM, POPUP } from './pick-classes.ts';

interface PickManyProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  /** The names to pick from; other names may be typed. */
  readonly names: readonly string[];
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

/** A field for several names: each is a chip, and known names are offered while typing. */
export function PickMany({ label, values, onChange, names, hint, problem }: PickManyProps) {
  const [typed, setTyped] = useState('');
  const { landmark, mark } = useLandmark();
  const own = typed.trim();
  const offered = [...new Set([...names, ...values, ...(own === '' ? [] : [own])])];
  const add = () => {
    if (own !== '' && !values.includes(own)) onChange([...values, own]);
    setTyped('');
  };
  return (
    <Field.Root invalid={problem !== undefined} className="flex flex-col gap-1">
      <Field.Label className="text-sm font-semibold">{label}</Field.Label>
      <Combobox.Root
        multiple
        items={offered}
        value={values as string[]}
        onValueChange={(next) => {
          onChange(next);
          setTyped('');
        }}
        inputValue={typed}
        onInputValueChange={(next) => setTyped(next)}
      >
        <Combobox.Chips className="flex min-h-8 flex-wrap items-center gap-1 rounded border border-edge bg-raised px-1 py-0.5 focus-within:outline-2 focus-within:outline-accent pointer-coarse:min-h-11">
          {values.map((value) => (
            <Combobox.Chip
              key={value}
              aria-label={value}
              className="flex items-center gap-1 rounded bg-accent-wash py-0.5 pl-2 font-mono text-sm"
            >
              {value}
              <Combobox.ChipRemove
                aria-label={`Remove ${value}`}
                className="cursor-pointer px-1 text-soft hover:text-ink"
              >
                <X aria-hidden="true" className="size-3" />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input
            ref={mark}
            spellCheck={false}
            autoCapitalize="none"
            // A name that was typed and not picked counts too; the list forgets it before the field loses the focus.
            onKeyDown={(event) => {
              if (event.key === ',') event.preventDefault();
              if (event.key === ',' || event.key === 'Tab') add();
            }}
            onBlur={add}
            className="min-h-6 min-w-24 grow bg-transparent px-1 font-mono outline-none"
          />
        </Combobox.Chips>
        <Combobox.Portal container={landmark}>
          <Combobox.Positioner className="z-50" sideOffset={4}>
            <Combobox.Popup className={POPUP}>
              <Combobox.List>
                {(name: string) => (
                  <Combobox.Item key={name} value={name} className={`${ITEM} font-mono`}>
                    <span className="w-4">
                      <Combobox.ItemIndicator>
                        <Check className="size-4" />
                      </Combobox.ItemIndicator>
                    </span>
                    {name}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {hint !== undefined && <Field.Description className="text-sm text-soft">{hint}</Field.Description>}
      {problem !== undefined && (
        <Field.Error match className="text-sm text-bad">
          {problem}
        </Field.Error>
      )}
    </Field.Root>
  );
}
