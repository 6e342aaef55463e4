import { countWords, useWaiting } from './waiting.ts';

/** The number of pending approvals, if any. */
export function WaitingCount() {
  const count = useWaiting()?.mine ?? 0;
  if (count === 0) return null;
  return (
    <span className="rounded bg-waiting px-1 text-xs font-semibold text-paper">
      {countWords(count)}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
