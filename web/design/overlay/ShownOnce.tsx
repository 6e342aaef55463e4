import type { ReactNode } from 'react';
import { Button } from '../Button.tsx';
import { CodeBlock } from '../text/Code.tsx';
import { Dialog } from './Dialog.tsx';

interface ShownOnceProps {
  /** Undefined: there is nothing to show. */
  readonly token: string | undefined;
  /** "API key", for the title and the button that copies it. */
  readonly what: string;
  /** How it is used. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** A token that nobody can read again: the hub keeps its hash alone (decision 1). */
export function ShownOnce({ token, what, children, onClose }: ShownOnceProps) {
  return (
    <Dialog isOpen={token !== undefined} onClose={onClose} title={`Copy the ${what} now`} isWide>
      <p className="mb-3 max-w-prose text-soft">
        It is shown this once: nothing can bring it back, not even the hub. If it is lost, make another.
      </p>
      <CodeBlock text={token ?? ''} copyLabel={`Copy the ${what}`} />
      {children !== undefined && <div className="mt-3 flex flex-col gap-2">{children}</div>}
      <div className="mt-4 flex justify-end">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
