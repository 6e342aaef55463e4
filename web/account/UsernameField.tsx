import { USERNAME_PATTERN } from '@svc/core/workspace/username';
import { useState } from 'react';
import { problemWords } from '../api/refusal-words.ts';
import { TextField } from '../design/form/TextField.tsx';
import { type KeptDraft, useKeptDraft } from '../design/form/use-kept-draft.ts';

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
  readonly kept: KeptDraft<UsernameDraft>;
}

interface UsernameDraft {
  readonly username: string;
}

const EMPTY: UsernameDraft = { username: '' };

/** The state of a field for a username, which this tab keeps under `name` (`useKeptDraft`). */
export function useUsernameInput(name: string): UsernameInput {
  const kept = useKeptDraft(name, EMPTY, { isShort: true });
  const value = kept.draft.username;
  const [isChecked, setIsChecked] = useState(false);
  return {
    value,
    setValue: (username) => kept.change({ username }),
    isFit: USERNAME_PATTERN.test(value),
    check: () => setIsChecked(true),
    isChecked,
    kept,
  };
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
