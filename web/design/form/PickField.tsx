import { Autocomplete } from '@base-ui/react/autocomplete';
import { Field } from '@base-ui/react/field';
import { useState } from 'react';
import { classes } from '../classes.ts';
import { useLandmark } from '../overlay/landmark.ts';
import { ITEM, POPUP } from './pick-classes.ts';
import { CONTROL } from './TextField.tsx';

interface PickFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The names to pick from; other text may be typed. */
  readonly names: readonly string[];
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
}

/** A text field that offers known names while typing. */
export function PickField(props: PickFieldProps) {
  const { label, value, onChange, names, hint, problem, placeholder, isDisabled = false } = props;
  const { landmark, mark } = useLandmark();
  const [opened, setOpened] = useState<'by typing' | 'by press'>();
  // A press on a picked name asks for another one.
  const isReplaced = opened === 'by press' && names.includes(value);
  const offered = names.filter(
    (name) => name !== value && (isReplaced || name.toLowerCase().includes(value.toLowerCase())),
  );
  return (
    <Field.Root invalid={problem !== undefined} disabled={isDisabled} className="flex flex-col gap-1">
      <Field.Label className="text-sm font-semibold">{label}</Field.Label>
      <Autocomplete.Root
        items={offered}
        mode="none"
        value={value}
        onValueChange={(next) => {
          if (opened) setOpened('by typing');
          onChange(next);
        }}
        // An open list hides the rest of the page from screen readers, so it is open only with something to pick.
        open={opened !== undefined && offered.length > 0}
        onOpenChange={(isOpen, { reason }) =>
          setOpened(isOpen ? (reason === 'input-change' ? 'by typing' : 'by press') : undefined)
        }
        openOnInputClick
      >
        <Autocomplete.Input
          ref={mark}
          placeholder={placeholder}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          className={classes(CONTROL, 'font-mono')}
        />
        <Autocomplete.Portal container={landmark}>
          <Autocomplete.Positioner className="z-50" sideOffset={4}>
            <Autocomplete.Popup className={POPUP}>
              <Autocomplete.List>
                {(name: string) => (
                  <Autocomplete.Item key={name} value={name} className={classes(ITEM, 'font-mono')}>
                    {name}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
      {hint !== undefined && <Field.Description className="text-sm text-soft">{hint}</Field.Description>}
      {problem !== undefined && (
        <Field.Error match className="text-sm text-bad">
          {problem}
        </Field.Error>
      )}
    </Field.Root>
  );
}
