import { useQuery } from '@tanstack/react-query';
import { Section } from '../design/Page.tsx';
import { grouped } from '../design/text/grouped.ts';
import { localClock } from '../design/time/time-words.ts';
import { type Hour, hoursOf } from './hours.ts';
import { NOW } from './now-reads.ts';

/** One execution barely changes the figures of a day, so they are polled. */
const POLL_MS = 60_000;
const HEIGHT = 40;
const WIDTH = 8;
const GAP = 2;

/** The last 24 hours, one bar each: all executions, and the failed part. */
export function Day() {
  const { data } = useQuery({ ...NOW.day, refetchInterval: POLL_MS });
  if (data === undefined) return null;
  const hours = hoursOf(data.buckets);
  const total = hours.reduce((sum, { count }) => sum + count, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  return (
    <Section title="Last 24 hours" aside={`${grouped(total)} executions`}>
      <svg
        role="img"
        aria-label={`${total} executions in the last 24 hours, ${failed} failed`}
        viewBox={`0 0 ${hours.length * (WIDTH + GAP)} ${HEIGHT}`}
        className="h-10 w-full"
        preserveAspectRatio="none"
      >
        {hours.map((hour, index) => (
          <Bar key={hour.from} hour={hour} x={index * (WIDTH + GAP)} />
        ))}
      </svg>
      <p className="flex justify-between text-xs text-soft">
        <span>24 h ago</span>
        <span className={failed > 0 ? 'text-bad' : undefined}>
          {failed > 0 ? `${failed} failed` : 'none failed'}
        </span>
        <span>now</span>
      </p>
    </Section>
  );
}

function Bar({ hour, x }: { readonly hour: Hour; readonly x: number }) {
  const { share, failedShare, count, failed, from } = hour;
  const countHeight = share * (HEIGHT - 1);
  const failedHeight = failedShare * (HEIGHT - 1);
  return (
    <g>
      <title>{`${localClock(Date.parse(from)).slice(0, 5)}: ${count} executions, ${failed} failed`}</title>
      <rect x={x} y={HEIGHT - 1} width={WIDTH} height={1} className="fill-line" />
      <rect x={x} y={HEIGHT - countHeight} width={WIDTH} height={countHeight} className="fill-good" />
      <rect x={x} y={HEIGHT - failedHeight} width={WIDTH} height={failedHeight} className="fill-bad" />
    </g>
  );
}
