import { CopyButton } from './CopyButton.tsx';

interface IdProps {
  readonly id: string;
  /** "Copy execution ID". */
  readonly copyLabel: string;
  /** Only its first letters, as the palette has it; hovering shows all of it, and the copy is whole. */
  readonly isShort?: boolean;
}

const SHORT_CHARS = 8;

/** An id with its copy button. */
export function Id({ id, copyLabel, isShort = false }: IdProps) {
  return (
    <span className="inline-flex items-center gap-1">
      <code title={isShort ? id : undefined} className="min-w-0 text-sm text-soft wrap-anywhere">
        {isShort ? `${id.slice(0, SHORT_CHARS)}…` : id}
      </code>
      <CopyButton text={id} label={copyLabel} isShort />
    </span>
  );
}
