import { useState } from 'react';

/** A choice that this browser stores between visits. */
export function useKeptChoice(key: string, fallback: boolean): [boolean, (choice: boolean) => void] {
  const [choice, setChoice] = useState(() => {
    const stored = localStorage.getItem(key);
    return stored === null ? fallback : stored === 'yes';
  });
  const keep = (next: boolean) => {
    localStorage.setItem(key, next ? 'yes' : 'no');
    setChoice(next);
  };
  return [choice, keep];
}
