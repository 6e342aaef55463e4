import { classes } from '../design/classes.ts';
import { useLastLine } from './use-last-line.ts';

/** A browser opens six connections to a host over HTTP/1.1; this many followed executions leave three for the rest. */
export const MAX_FOLLOWED = 3;

interface LastLineProps {
  readonly executionId: string;
  readonly className?: string;
}

/** The last line of output of a running execution, live: each new line rises into its place. */
export function LastLine({ executionId, className }: LastLineProps) {
  const line = useLastLine(executionId);
  return (
    <code
      dir="ltr"
      className={classes('flex h-5 min-w-0 items-center overflow-hidden text-sm text-running', className)}
    >
      <span key={line} className="animate-rise truncate">
        {line ?? 'No output yet'}
      </span>
      <span aria-hidden="true" className="ml-1 h-3.5 w-1.5 shrink-0 animate-caret bg-current" />
    </code>
  );
}
