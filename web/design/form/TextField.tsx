import { Field } from '@base-ui/react/field';
import type { ComponentProps } from 'react';
import { classes } from '../classes.ts';

/** The classes of every text control. */
export const CONTROL =
  'w-full rounded border border-edge bg-raised px-2 py-1 min-h-8 placeholder:text-soft data-invalid:border-bad ' +
  'aria-invalid:border-bad disabled:bg-sunken disabled:text-soft pointer-coarse:min-h-11';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The purpose of the field, or the accepted values. */
  readonly hint?: string | undefined;
  /** The problem with the value, and what is accepted. */
  readonly problem?: string | undefined;
  /** A command, a name, a token: shown letter by letter. */
  readonly isCode?: boolean;
  /** Several lines. */
  readonly rows?: number;
  readonly isLabelHidden?: boolean;
  readonly input?: Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'className'>;
}

/** A text field with its label above and its problem below. */
export function TextField({ label, value, onChange, hint, problem, rows, ...props }: TextFieldProps) {
  const { isCode = false, isLabelHidden = false, input } = props;
  // A placeholder is a sentence of ours, not a value.
  const className = classes(CONTROL, isCode && 'font-mono placeholder:font-sans');
  return (
    <Field.Root invalid={problem !== undefined} className="flex flex-col gap-1">
      <Field.Label className={classes('text-sm font-semibold', isLabelHidden && 'sr-only')}>
        {label}
      </Field.Label>
      <Field.Control
        {...input}
        value={value}
        onValueChange={onChange}
        spellCheck={!isCode}
        autoCapitalize={isCode ? 'none' : undefined}
        className={className}
        {...(rows === undefined ? {} : { render: <textarea rows={rows} /> })}
      />
      {hint !== undefined && <Field.Description className="text-sm text-soft">{hint}</Field.Description>}
      {problem !== undefined && (
        <Field.Error match className="text-sm text-bad">
          {problem}
        </Field.Error>
      )}
    </Field.Root>
  );
}
