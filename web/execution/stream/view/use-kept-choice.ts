import { useState } from 'react';

/** A choice of this browser, kept between visits; one that keeps nothing has it until the page goes. */
export function useKeptChoice(key: string, fallback: boolean): [boolean, (choice: boolean) => void] {
  const [choice, setChoice] = useState(() => {
    const kept = localStorage.getItem(key);
    return kept === null ? fallback : kept === 'yes';
  });
  const keep = (next: boolean) => {
    localStorage.setItem(key, next ? 'yes' : 'no');
    setChoice(next);
  };
  return [choice, keep];
}
