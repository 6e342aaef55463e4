import { type LineTime, timeOfEvent } from '@svc/core/execution/line-times';
import { duration, exactTime } from '../../design/time/time-words.ts';
import type { LogLine } from './line-log.ts';

/** The times that the agent noted (decision 106, times of lines). */
export interface RecordedTimes {
  readonly startedMs: number;
  readonly marks: readonly LineTime[];
}

export interface LineTimeWords {
  /** The time of day in the zone of the browser: "14:03:07.4". */
  readonly text: string;
  readonly title: string;
}

/** When a line was printed; undefined: not known. With `of arrival`, only lines that this browser saw live have a time. */
export function timeOfLine(
  { event, arrivedMs }: Pick<LogLine, 'event' | 'arrivedMs'>,
  times: RecordedTimes | 'of arrival',
): LineTimeWords | undefined {
  if (times === 'of arrival')
    return arrivedMs === undefined ? undefined : words(arrivedMs, 'when the line reached this browser');
  const ms = event === undefined ? undefined : timeOfEvent(times.marks, event);
  return ms === undefined ? undefined : words(times.startedMs + ms, `${duration(ms)} after the start`);
}

function words(atMs: number, about: string): LineTimeWords {
  const at = new Date(atMs);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  const tenth = Math.floor(at.getMilliseconds() / 100);
  return { text: `${hours}:${minutes}:${seconds}.${tenth}`, title: `${exactTime(atMs)}, ${about}` };
}
