import { type ReactNode, useState } from 'react';
import { Button } from '../Button.tsx';
import { TextField } from '../form/TextField.tsx';
import { Dialog } from './Dialog.tsx';

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** A question that names the object: "Revoke the key ci?" */
  readonly title: string;
  /** What follows from it. */
  readonly children: ReactNode;
  /** What the button does, in words: "Revoke key". */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly isPending?: boolean;
  /** It takes nothing away, and has the look of what can be done. */
  readonly isHarmless?: boolean;
  /** What is to be typed, where nothing brings the object back. */
  readonly typed?: string;
}

/** Asks before something ends; what cannot be undone is asked for by name. */
export function Confirm({ title, children, action, onConfirm, typed, ...props }: ConfirmProps) {
  const { isOpen, onClose, isPending = false, isHarmless = false } = props;
  const [text, setText] = useState('');
  const why = typed === undefined || text === typed ? undefined : `Type ${typed} first.`;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <div className="flex flex-col gap-3">{children}</div>
      {typed !== undefined && (
        <div className="mt-3">
          <TextField label={`Type ${typed} to go on`} value={text} onChange={setText} isCode />
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-between gap-4">
        <Button onClick={onClose}>Leave it</Button>
        <Button kind={isHarmless ? 'primary' : 'danger'} onClick={onConfirm} isPending={isPending} why={why}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
