import { useNow } from './now.ts';
import { duration, exactTime, relativeTime, wordsHoldMs } from './time-words.ts';

interface TimeProps {
  /** RFC 3339, as the API has it. */
  readonly at: string;
}

/** When something was or will be, as far from now as it is; the exact time in UTC on hover and in copies. */
export function Time({ at }: TimeProps) {
  const atMs = Date.parse(at);
  const nowMs = useNow(wordsHoldMs(atMs, Date.now()));
  const exact = exactTime(atMs);
  return (
    <time
      dateTime={at}
      title={exact}
      className="whitespace-nowrap"
      onCopy={(event) => {
        event.clipboardData.setData('text/plain', exact);
        event.preventDefault();
      }}
    >
      {relativeTime(atMs, nowMs)}
    </time>
  );
}

interface ElapsedProps {
  readonly since: string;
  /** Without it, it is still going on. */
  readonly until?: string | null | undefined;
}

/** How long something took, or takes so far. */
export function Elapsed({ since, until }: ElapsedProps) {
  const nowMs = useNow(until ? undefined : 1_000);
  const ms = Math.max(0, (until ? Date.parse(until) : nowMs) - Date.parse(since));
  // What goes on is counted in seconds.
  const words = until || ms >= 1_000 ? duration(ms) : '0 s';
  return <span className="whitespace-nowrap">{words}</span>;
}
