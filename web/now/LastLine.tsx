import { classes } from '../design/classes.ts';
import { useLastLine } from './use-last-line.ts';

/** Each followed row costs one request a second. */
export const MAX_FOLLOWED = 3;

interface LastLineProps {
  readonly executionId: string;
  readonly className?: string;
}

/** The last line of output of a running execution, live: each new line rises into its place. */
export function LastLine({ executionId, className }: LastLineProps) {
  const printed = useLastLine(executionId);
  const line = printed?.lastLine;
  return (
    <code
      dir="ltr"
      className={classes('flex h-5 min-w-0 items-center overflow-hidden text-sm text-running', className)}
    >
      <span key={line} className="animate-rise truncate">
        {line ?? (printed && 'No output yet')}
      </span>
      <span aria-hidden="true" className="ml-1 h-3.5 w-1.5 shrink-0 animate-caret bg-current" />
    </code>
  );
}
