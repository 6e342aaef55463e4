import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { openPalette } from '../palette/palette-state.ts';
import { PLACES } from '../places.ts';
import { useVisibleNavItems } from '../use-places.ts';
import { goToRow, pressInRow } from './rows.ts';
import { showShortcuts } from './shortcuts-state.ts';

/** `g` counts for so long. */
const CHORD_MS = 1_200;
/** NOTE: Not 0: that is when the page was loaded, and a key that is pressed right then begins no chord. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** The keys of the whole dashboard; while somebody types, or a dialog is open, they are letters. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const places = useVisibleNavItems(PLACES);
  // With what is shown, not a moment after it: a key that is pressed then counts.
  const goneAt = useRef(LONG_AGO);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k')
        return done(event, openPalette);
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      if (performance.now() - goneAt.current < CHORD_MS) {
        goneAt.current = LONG_AGO;
        const place = places.find(({ key }) => key === event.key);
        if (place) return done(event, () => void navigate({ to: place.to }));
      }
      if (event.key === 'g') goneAt.current = performance.now();
      else if (event.key === 'j') done(event, () => goToRow(1));
      else if (event.key === 'k') done(event, () => goToRow(-1));
      else if (event.key === '/') done(event, search);
      else if (event.key === '?') done(event, showShortcuts);
      else if (pressInRow(event.key)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, places]);
}

function done(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    (target instanceof HTMLElement &&
      target.closest(
        'input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]',
      ) !== null) ||
    document.querySelector('[role=dialog], [role=alertdialog]') !== null
  );
}

/** The search of the page, else that of everything. */
function search(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field) field.focus();
  else openPalette();
}
