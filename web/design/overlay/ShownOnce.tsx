import type { ReactNode } from 'react';
import { Button } from '../Button.tsx';
import { CodeBlock } from '../text/Code.tsx';
import { Dialog } from './Dialog.tsx';

interface ShownOnceProps {
  /** Undefined: the dialog is closed. */
  readonly token: string | undefined;
  /** "API key", for the title and the copy button. */
  readonly what: string;
  /** How to use the token. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new token once: the hub keeps only its hash (decision 1, tokens). */
export function ShownOnce({ token, what, children, onClose }: ShownOnceProps) {
  return (
    <Dialog isOpen={token !== undefined} onClose={onClose} title={`Copy the ${what} now`} isWide isKept>
      <p className="mb-3 max-w-prose text-soft">
        You can't view this {what} again. If you lose it, create a new one.
      </p>
      <CodeBlock text={token ?? ''} copyLabel={`Copy ${what}`} />
      {children !== undefined && <div className="mt-3 flex flex-col gap-2">{children}</div>}
      <div className="mt-4 flex justify-end">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
