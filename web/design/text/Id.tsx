import { CopyButton } from './CopyButton.tsx';

interface IdProps {
  readonly id: string;
  /** "Copy the id of the execution". */
  readonly copyLabel: string;
}

/** An id is never shown without a way to copy it. */
export function Id({ id, copyLabel }: IdProps) {
  return (
    <span className="inline-flex items-center gap-1">
      <code className="min-w-0 text-sm text-soft wrap-anywhere">{id}</code>
      <CopyButton text={id} label={copyLabel} isShort />
    </span>
  );
}
