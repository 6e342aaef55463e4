import { PANEL_LIST } from '../classes.ts';

interface LoadingProps {
  /** "executions". */
  readonly what: string;
  readonly rows?: number;
}

/** Placeholder rows that reserve the height of the list. Nothing in them moves. */
export function Loading({ what, rows = 3 }: LoadingProps) {
  return (
    <div role="status" className={PANEL_LIST}>
      <span className="sr-only">Loading {what}…</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that hold nothing.
        <span key={row} className="flex h-11 items-center px-4">
          <span className="h-2.5 w-1/3 rounded bg-line" />
        </span>
      ))}
    </div>
  );
}
