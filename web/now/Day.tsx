import { useQuery } from '@tanstack/react-query';
import { Section } from '../design/Page.tsx';
import { type Hour, hoursOf } from './hours.ts';
import { NOW } from './now-reads.ts';

/** Figures over a day are not changed much by one execution: they are read again by the clock. */
const READ_EVERY_MS = 60_000;
const HEIGHT = 40;
const WIDTH = 8;
const GAP = 2;

/** The last 24 hours, one bar each: how much ran, and what part of it did not end well. */
export function Day() {
  const { data } = useQuery({ ...NOW.day, refetchInterval: READ_EVERY_MS });
  if (data === undefined) return null;
  const hours = hoursOf(data.buckets);
  const total = hours.reduce((sum, { count }) => sum + count, 0);
  const wrong = hours.reduce((sum, { wrong: bad }) => sum + bad, 0);
  return (
    <Section title="24 hours" aside={`${total.toLocaleString('en-US')} ran`}>
      <svg
        role="img"
        aria-label={`${total} executions in 24 hours, ${wrong} of them went wrong`}
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
        <span className={wrong > 0 ? 'text-bad' : undefined}>
          {wrong > 0 ? `${wrong} went wrong` : 'none went wrong'}
        </span>
        <span>now</span>
      </p>
    </Section>
  );
}

function Bar({ hour, x }: { readonly hour: Hour; readonly x: number }) {
  const { share, wrongShare, count, wrong, from } = hour;
  const high = share * (HEIGHT - 1);
  const bad = wrongShare * (HEIGHT - 1);
  return (
    <g>
      <title>{`${from.slice(11, 16)} UTC: ${count} ran, ${wrong} went wrong`}</title>
      <rect x={x} y={HEIGHT - 1} width={WIDTH} height={1} className="fill-line" />
      <rect x={x} y={HEIGHT - high} width={WIDTH} height={high} className="fill-running" />
      <rect x={x} y={HEIGHT - bad} width={WIDTH} height={bad} className="fill-bad" />
    </g>
  );
}
