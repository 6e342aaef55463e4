import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Item } from '../api/read.ts';
import { PANEL_LIST } from '../design/classes.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { grouped } from '../design/text/grouped.ts';
import { Time } from '../design/time/Time.tsx';
import { FAILED_STATES, MAX_FAILED } from '../first-reads.ts';
import { type EndpointFailures, failuresByEndpoint } from './day-failures.ts';
import { lastVisitMs, recordVisit } from './last-visit.ts';
import { useDayFailures } from './now-reads.ts';

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
  const { page, day } = useDayFailures();
  const newest = page?.items ?? [];
  const fresh = newest.filter((one) => Date.parse(whenOf(one)) > sinceMs).length;
  const endpoints = page === undefined ? [] : failuresByEndpoint(page, day, Date.now());
  return (
    <Section
      title="Failed"
      aside={
        endpoints.length > 0 && (
          <>
            {fresh > 0 && `${freshWords(fresh)} new since your last visit · `}
            {restWords(endpoints.length - MAX_ROWS, day?.others ?? 0)}
            <Link
              to="/executions"
              search={{ status: FAILED_STATES.join(',') }}
              className="text-accent underline"
            >
              All failures
            </Link>
          </>
        )
      }
    >
      {page === undefined && <Loading what="failed executions" />}
      {page && newest.length === 0 && <p className="text-soft">No failures.</p>}
      <ul aria-label="Failed executions" className={PANEL_LIST}>
        {endpoints.slice(0, MAX_ROWS).map((one) => (
          <li key={one.newest.execution_id} data-row="">
            <FailedRow failures={one} isNew={Date.parse(whenOf(one.newest)) > sinceMs} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const MAX_ROWS = 6;

/** What the rows leave out: endpoints beyond the last row, and failures of endpoints that were not found. */
function restWords(endpoints: number, failures: number): string {
  const words = [
    endpoints > 0 && `${grouped(endpoints)} more ${endpoints === 1 ? 'endpoint' : 'endpoints'} · `,
    failures > 0 && `${grouped(failures)} more ${failures === 1 ? 'failure' : 'failures'} · `,
  ];
  return words.filter(Boolean).join('');
}

/** The page reads no more than `MAX_FAILED`. */
function freshWords(fresh: number): string {
  return fresh < MAX_FAILED ? String(fresh) : `${MAX_FAILED} or more`;
}

function whenOf({ ended_at: endedAt, created_at: createdAt }: Execution): string {
  return endedAt ?? createdAt;
}

interface FailedRowProps {
  readonly failures: EndpointFailures;
  readonly isNew: boolean;
}

/** The newest failure of an endpoint, with the count of the last 24 hours. */
function FailedRow({ failures: { newest, count, isAtLeast }, isNew }: FailedRowProps) {
  const { execution_id: id, endpoint, status, exit_code: exitCode, error } = newest;
  return (
    <Link
      to="/executions/$id"
      params={{ id }}
      className="grid min-h-9 grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1 hover:bg-accent-wash"
    >
      <StateMark state={status} />
      <span className="truncate">
        <code className={isNew ? 'font-semibold' : undefined}>{endpoint}</code>{' '}
        {count > 1 && (
          <span className="pl-1 font-semibold" title="Failures in the last 24 hours">
            × {grouped(count)}
            {isAtLeast && '+'}{' '}
          </span>
        )}
        <span className="pl-2 text-sm text-soft">
          {error ?? (exitCode !== undefined && `exit code ${exitCode}`)}
        </span>
      </span>
      <span className="text-sm text-soft">
        <Time at={whenOf(newest)} />
      </span>
    </Link>
  );
}
