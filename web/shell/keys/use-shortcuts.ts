import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { NAV_ITEMS } from '../nav-items.ts';
import { openPalette } from '../palette/palette-state.ts';
import { useVisibleNavItems } from '../use-visible-nav-items.ts';
import { goToRow, pressInRow } from './rows.ts';
import { showShortcuts } from './shortcuts-state.ts';

/** The time after `g` in which the second key of a shortcut counts. */
const CHORD_MS = 1_200;
/** NOTE: not 0, the time of the page load: a key pressed right after it would complete a shortcut. */
const LONG_AGO = Number.NEGATIVE_INFINITY;
/** A toast has the role of a dialog as well, but it takes no keys. */
const OPEN_DIALOG = ':is([role=dialog], [role=alertdialog], dialog[open]):not([data-toast])';

/** The shortcuts of the dashboard, off while a person types or a dialog is open. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const items = useVisibleNavItems(NAV_ITEMS);
  // A layout effect, so that a key pressed right after the render counts.
  const prefixAtMs = useRef(LONG_AGO);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k')
        return done(event, openPalette);
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      if (performance.now() - prefixAtMs.current < CHORD_MS) {
        prefixAtMs.current = LONG_AGO;
        const item = items.find(({ key }) => key === event.key);
        if (item) return done(event, () => void navigate({ to: item.to }));
      }
      if (event.key === 'g') prefixAtMs.current = performance.now();
      else if (event.key === 'j') done(event, () => goToRow(1));
      else if (event.key === 'k') done(event, () => goToRow(-1));
      else if (event.key === '/') done(event, focusSearch);
      else if (event.key === '?') done(event, showShortcuts);
      else if (pressInRow(event.key)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, items]);
}

function done(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

function isTyping(event: KeyboardEvent): boolean {
  // The target is the host of the editor's shadow root; the path begins with the element that has the focus.
  const [target] = event.composedPath();
  return (
    (target instanceof HTMLElement &&
      target.closest(
        'input, textarea, select, [contenteditable], [role=dialog], dialog, [role=menu], [role=listbox]',
      ) !== null) ||
    document.querySelector(OPEN_DIALOG) !== null
  );
}

/** Focuses the search field of the page; without one opens the palette. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field) field.focus();
  else openPalette();
}
