import { useNow } from './now.ts';
import { duration, exactTime, relativeTime, updateIntervalMs } from './time-words.ts';

interface TimeProps {
  /** RFC 3339. */
  readonly at: string;
}

/** A time relative to now. Hover and copy give the exact time in UTC. */
export function Time({ at }: TimeProps) {
  const atMs = Date.parse(at);
  const nowMs = useNow(updateIntervalMs(atMs, Date.now()));
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
  /** Undefined or null: still running. */
  readonly until?: string | null | undefined;
}

/** The time between two moments, or since the first one. */
export function Elapsed({ since, until }: ElapsedProps) {
  const nowMs = useNow(until ? undefined : 1_000);
  const ms = Math.max(0, (until ? Date.parse(until) : nowMs) - Date.parse(since));
  // A running time counts in whole seconds.
  const words = until || ms >= 1_000 ? duration(ms) : '0 s';
  return <span className="whitespace-nowrap">{words}</span>;
}
