import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../api/read.ts';
import { PANEL_LIST } from '../design/classes.ts';
import { Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Elapsed, Time } from '../design/time/Time.tsx';
import { useMedia } from '../design/use-media.ts';
import { NOW } from './now-reads.ts';

type Execution = Item<'listExecutions'>;

/** The rows where a screen is not large. */
const SHOWN = 6;

/** The last successful and cancelled executions. */
export function RecentSuccesses() {
  const { data } = useQuery(NOW.done);
  const isLarge = useMedia('(min-width: 1536px) and (min-height: 900px)');
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section
      title="Recently succeeded"
      aside={
        <Link to="/executions" className="text-accent hover:underline">
          All executions
        </Link>
      }
    >
      <ul aria-label="Recently succeeded" className={PANEL_LIST}>
        {data.items.slice(0, isLarge ? undefined : SHOWN).map((execution) => (
          <li key={execution.execution_id} data-row="">
            <DoneRow execution={execution} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function DoneRow({ execution }: { readonly execution: Execution }) {
  const {
    execution_id: id,
    endpoint,
    status,
    started_at: startedAt,
    ended_at: endedAt,
    created_at: at,
  } = execution;
  return (
    <Link
      to="/executions/$id"
      params={{ id }}
      className="grid min-h-9 grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1 hover:bg-accent-wash"
    >
      <StateMark state={status} />
      <span className="truncate">
        <code>{endpoint}</code>{' '}
        {startedAt !== null && (
          <span className="pl-2 text-sm text-soft">
            in <Elapsed since={startedAt} until={endedAt ?? startedAt} />
          </span>
        )}
      </span>
      <span className="text-sm text-soft">
        <Time at={endedAt ?? at} />
      </span>
    </Link>
  );
}
