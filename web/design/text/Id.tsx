import { CopyButton } from './CopyButton.tsx';

interface IdProps {
  readonly id: string;
  /** "Copy execution ID". */
  readonly copyLabel: string;
}

/** An id with its copy button. */
export function Id({ id, copyLabel }: IdProps) {
  return (
    <span className="inline-flex items-center gap-1">
      <code className="min-w-0 text-sm text-soft wrap-anywhere">{id}</code>
      <CopyButton text={id} label={copyLabel} isShort />
    </span>
  );
}
