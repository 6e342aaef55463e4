import { useEffect, useState } from 'react';
import { TextField } from './TextField.tsx';

interface TypedFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onTyped: (text: string) => void;
  readonly maxLength?: number;
}

/** A pause longer than this ends typing. */
const TYPING_MS = 300;

/** A text that counts when its typing has ended. */
export function TypedField({ label, placeholder, value, onTyped, maxLength }: TypedFieldProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    // Another view or the back button changed it.
    setKnown(value);
    if (text.trim() !== value) setText(value);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onTyped(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      label={label}
      isCode
      value={text}
      onChange={setText}
      input={{ type: 'search', placeholder, maxLength }}
    />
  );
}
