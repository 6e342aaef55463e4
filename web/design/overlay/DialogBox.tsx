import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { classes } from '../classes.ts';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** For a command or a form of two columns. */
  readonly isWide?: boolean;
  /** Only a button in the dialog closes it: its content is shown once. The browser asks before the page is reloaded or closed. */
  readonly isKept?: boolean;
}

export function DialogBox({ isOpen, onClose, title, children, isWide = false, isKept = false }: DialogProps) {
  const [guard, setGuard] = useState<'none' | 'typed' | 'warned'>('none');
  const [wasAskedToLeave, setWasAskedToLeave] = useState(false);
  // An answer or a cancel closes the dialog from outside; the next opening starts with empty fields.
  if (!isOpen && guard !== 'none') setGuard('none');
  if (!isOpen && wasAskedToLeave) setWasAskedToLeave(false);
  const dismiss = () => {
    if (isKept) setWasAskedToLeave(true);
    else if (guard === 'typed') setGuard('warned');
    else onClose();
  };
  useBlocker({
    shouldBlockFn({ action, current, next }) {
      if (isKept) {
        if (current.pathname === next.pathname) return false;
        setWasAskedToLeave(true);
        return true;
      }
      // The dialog itself leads on after it has saved; only the buttons of the browser leave it.
      if (action === 'PUSH' || action === 'REPLACE') return false;
      setGuard('warned');
      return guard === 'typed';
    },
    disabled: !isOpen || (guard === 'none' && !isKept),
  });
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || dismiss()}>
      <Base.Portal>
        <Base.Backdrop data-backdrop="" className="fixed inset-0 z-40 bg-[oklch(0_0_0/0.4)]" />
        <Base.Popup
          onInput={() => guard === 'none' && setGuard('typed')}
          className={classes(
            'fixed top-[10vh] left-1/2 z-40 max-h-[80vh] w-[calc(100vw-24px)] -translate-x-1/2 overflow-y-auto',
            'rounded border border-line bg-raised p-4 shadow-float',
            isWide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <Base.Title className="mb-2 text-lg font-semibold">{title}</Base.Title>
          {children}
          {wasAskedToLeave && (
            <p role="status" className="mt-3 rounded bg-waiting-wash px-3 py-1">
              This is shown only once. Save it first, then close the dialog with its button.
            </p>
          )}
          {guard === 'warned' && !isKept && (
            <p role="status" className="mt-3 rounded bg-waiting-wash px-3 py-1">
              The dialog has unsaved input. Press Escape or go back again to discard it.
            </p>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
