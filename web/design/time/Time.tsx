import type { PointerEvent } from 'react';
import { useNow } from './now.ts';
import { duration, exactTime, exactTimes, localTime, relativeTime, updateIntervalMs } from './time-words.ts';

interface TimeProps {
  /** RFC 3339. */
  readonly at: string;
}

/** Shows the exact times of a `<time>`. They are written when the pointer comes, because their zone takes a browser long (`zoneName`). */
export function showExactTimes({ currentTarget }: PointerEvent<HTMLTimeElement>): void {
  currentTarget.title = exactTimes(Date.parse(currentTarget.dateTime));
}

/** A time relative to now. Hovering shows the local time and UTC; a copy has UTC. */
export function Time({ at }: TimeProps) {
  const atMs = Date.parse(at);
  const nowMs = useNow(updateIntervalMs(atMs, Date.now()));
  const exact = exactTime(atMs);
  return (
    <time
      dateTime={at}
      onPointerEnter={showExactTimes}
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

/** A time in the zone of the browser. Hovering shows UTC; a copy has UTC. */
export function LocalTime({ at }: TimeProps) {
  const atMs = Date.parse(at);
  return (
    <time
      dateTime={at}
      title={exactTime(atMs)}
      className="whitespace-nowrap"
      onCopy={(event) => {
        event.clipboardData.setData('text/plain', exactTime(atMs));
        event.preventDefault();
      }}
    >
      {localTime(atMs)}
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
