import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Item } from '../api/read.ts';
import { PANEL_LIST } from '../design/classes.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Time } from '../design/time/Time.tsx';
import { MAX_FAILED } from '../first-reads.ts';
import { lastVisitMs, recordVisit } from './last-visit.ts';
import { NOW } from './now-reads.ts';

type Execution = Item<'listExecutions'>;

interface RecentFailuresProps {
  /** Seeing them is a visit: the next one begins after it. */
  readonly isVisit?: boolean;
}

/** The last failures; those since the last visit are bold. */
export function RecentFailures({ isVisit = true }: RecentFailuresProps) {
  const [sinceMs] = useState(lastVisitMs);
  useEffect(() => {
    if (isVisit) recordVisit();
  }, [isVisit]);
  const { data } = useQuery(NOW.failed);
  const newest = data?.items ?? [];
  const fresh = newest.filter((one) => Date.parse(whenOf(one)) > sinceMs).length;
  return (
    <Section title="Failed" aside={fresh > 0 && `${freshWords(fresh)} new since your last visit`}>
      {data === undefined && <Loading what="failed executions" />}
      {data && newest.length === 0 && <p className="text-soft">No failures.</p>}
      <ul aria-label="Failed executions" className={PANEL_LIST}>
        {byEndpoint(newest).map(([execution, ...earlier]) => (
          <li key={execution.execution_id} data-row="">
            <FailedRow
              execution={execution}
              count={1 + earlier.length}
              isNew={Date.parse(whenOf(execution)) > sinceMs}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const MAX_ROWS = 6;

/** The failures of each endpoint, the newest first in both orders. */
function byEndpoint(failures: readonly Execution[]): readonly (readonly [Execution, ...Execution[]])[] {
  const groups = new Map<string, [Execution, ...Execution[]]>();
  for (const one of failures) {
    const group = groups.get(one.endpoint);
    if (group === undefined) groups.set(one.endpoint, [one]);
    else group.push(one);
  }
  return [...groups.values()].slice(0, MAX_ROWS);
}

/** The page reads no more than `MAX_FAILED`. */
function freshWords(fresh: number): string {
  return fresh < MAX_FAILED ? String(fresh) : `${MAX_FAILED} or more`;
}

function whenOf({ ended_at: endedAt, created_at: createdAt }: Execution): string {
  return endedAt ?? createdAt;
}

interface FailedRowProps {
  /** The newest failure of the endpoint. */
  readonly execution: Execution;
  readonly count: number;
  readonly isNew: boolean;
}

function FailedRow({ execution, count, isNew }: FailedRowProps) {
  const { execution_id: id, endpoint, status, exit_code: exitCode, error } = execution;
  return (
    <Link
      to="/executions/$id"
      params={{ id }}
      className="grid min-h-9 grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1 hover:bg-accent-wash"
    >
      <StateMark state={status} />
      <span className="truncate">
        <code className={isNew ? 'font-semibold' : undefined}>{endpoint}</code>{' '}
        {count > 1 && <span className="pl-1 font-semibold">× {count} </span>}
        <span className="pl-2 text-sm text-soft">
          {error ?? (exitCode !== undefined && `exit code ${exitCode}`)}
        </span>
      </span>
      <span className="text-sm text-soft">
        <Time at={whenOf(execution)} />
      </span>
    </Link>
  );
}
