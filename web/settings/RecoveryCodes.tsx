import { Button } from '../design/Button.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { CodeBlock } from '../design/text/Code.tsx';

interface RecoveryCodesProps {
  /** Undefined: the dialog is closed. */
  readonly codes: readonly string[] | undefined;
  readonly onClose: () => void;
}

/** Shows new recovery codes once: the hub keeps only their hashes. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const text = (codes ?? []).join('\n');
  return (
    <Dialog isOpen={codes !== undefined} onClose={onClose} title="Save the recovery codes now" isKept>
      <p className="mb-3 max-w-prose text-soft">
        Each code works once instead of a passkey. You can't view them again. Keep them in a place that you
        can reach without this device.
      </p>
      <CodeBlock text={text} copyLabel="Copy recovery codes" />
      <div className="mt-4 flex flex-wrap justify-between gap-3">
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download="svc-recovery-codes.txt"
          className="inline-flex min-h-8 items-center text-accent underline"
        >
          Download
        </a>
        <Button kind="primary" onClick={onClose}>
          I have saved them
        </Button>
      </div>
    </Dialog>
  );
}
