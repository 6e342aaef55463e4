import { problemWords } from '../../api/refusal-words.ts';
import { Button } from '../Button.tsx';

interface ProblemProps {
  readonly error: unknown;
  /** Repeats the failed request. */
  readonly onRetry?: () => void;
}

/** A failed request: what happened, why, and what to do. */
export function Problem({ error, onRetry }: ProblemProps) {
  const { title, advice } = problemWords(error);
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded border border-bad bg-bad-wash px-3 py-2"
    >
      <div>
        <p className="font-semibold wrap-anywhere">{title}</p>
        {advice !== undefined && <p className="text-sm">{advice}</p>}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
