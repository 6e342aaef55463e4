import { type ReactNode, useState } from 'react';
import { Button } from '../Button.tsx';
import { TextField } from '../form/TextField.tsx';
import { Dialog } from './Dialog.tsx';
import { DialogActions } from './DialogActions.tsx';

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** A question that names the object: "Revoke the key ci?" */
  readonly title: string;
  /** The consequences. */
  readonly children: ReactNode;
  /** The label of the button: "Revoke key". */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly isPending?: boolean;
  readonly isWide?: boolean;
  /** The action deletes nothing; its button is primary instead of red. */
  readonly isHarmless?: boolean;
  /** The name that must be typed first, where the action cannot be undone. */
  readonly typed?: string;
}

/** Asks for confirmation before an action. */
export function Confirm({ title, children, action, onConfirm, typed, ...props }: ConfirmProps) {
  const { isOpen, onClose, isPending = false, isHarmless = false, isWide = false } = props;
  const [text, setText] = useState('');
  const why = typed === undefined || text === typed ? undefined : `Type ${typed} first.`;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} isWide={isWide}>
      <div className="flex flex-col gap-3">{children}</div>
      {typed !== undefined && (
        <div className="mt-3">
          <TextField label={`Type ${typed} to confirm`} value={text} onChange={setText} isCode />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isHarmless ? 'primary' : 'danger'} onClick={onConfirm} isPending={isPending} why={why}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
