import { useNow } from '../design/time/now.ts';
import { exactTime, roughSpan } from '../design/time/time-words.ts';

/** The time until an approval expires, updated every second. */
export function TimeLeft({ until }: { readonly until: string }) {
  const untilMs = Date.parse(until);
  const nowMs = useNow(1_000);
  return (
    <time dateTime={until} title={exactTime(untilMs)}>
      {roughSpan(Math.max(0, untilMs - nowMs))}
    </time>
  );
}
