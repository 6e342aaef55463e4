import { USERNAME_PATTERN } from '@svc/core/workspace/username';
import { useState } from 'react';
import { problemWords } from '../api/refusal-words.ts';
import { TextField } from '../design/form/TextField.tsx';

/** The rule for usernames, for people. */
export const USERNAME_RULE =
  'Use 2 to 39 lower-case letters, digits or hyphens, with no hyphen at either end.';

interface UsernameInput {
  readonly value: string;
  readonly setValue: (username: string) => void;
  readonly isFit: boolean;
  /** Shows what is wrong from now on. */
  readonly check: () => void;
  readonly isChecked: boolean;
}

/** The state of a field for a username. */
export function useUsernameInput(): UsernameInput {
  const [value, setValue] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isFit = USERNAME_PATTERN.test(value);
  return { value, setValue, isFit, check: () => setIsChecked(true), isChecked };
}

interface UsernameFieldProps {
  readonly input: UsernameInput;
  /** The request that the username is for. */
  readonly action: { readonly error: Error | null; readonly reset: () => void };
  readonly label: string;
  readonly hint: string;
  readonly more?: Parameters<typeof TextField>[0]['input'];
}

/** A field for a username. It shows the rule after the form was submitted, and what the hub refused. */
export function UsernameField({ input, action, label, hint, more }: UsernameFieldProps) {
  const isWrong = input.isChecked && !input.isFit;
  return (
    <TextField
      label={label}
      value={input.value}
      onChange={(text) => {
        action.reset();
        input.setValue(text.trim().toLowerCase());
      }}
      hint={hint}
      problem={isWrong ? USERNAME_RULE : action.error ? problemWords(action.error).title : undefined}
      isCode
      input={{ autoComplete: 'off', maxLength: 39, ...more }}
    />
  );
}
