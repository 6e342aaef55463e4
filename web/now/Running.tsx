import { Link } from '@tanstack/react-router';
import type { Answer, Item } from '../api/read.ts';
import { PANEL_LIST } from '../design/classes.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Elapsed } from '../design/time/Time.tsx';
import { countOf } from '../shell/tab-activity.ts';
import { LastLine, MAX_FOLLOWED } from './LastLine.tsx';

type Execution = Item<'listExecutions'>;

interface RunningProps {
  /** The first page of the list. Undefined: not loaded yet. */
  readonly running: Answer<'listExecutions'> | undefined;
}

/** The running executions, each with its last line of output. */
export function Running({ running }: RunningProps) {
  const executions = running?.items;
  return (
    <Section title="Running" aside={running?.next_cursor != null && <AllRunning running={running} />}>
      {executions === undefined && <Loading what="running executions" />}
      {executions?.length === 0 && (
        <p className="text-soft">
          Nothing is running. Press <kbd className="font-mono text-sm">Ctrl K</kbd> to run an endpoint.
        </p>
      )}
      {executions !== undefined && executions.length > 0 && (
        <ul aria-label="Running executions" className={PANEL_LIST}>
          {executions.map((execution, index) => (
            <li key={execution.execution_id} data-row="">
              <RunningRow execution={execution} isFollowed={index < MAX_FOLLOWED} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** More run than the page lists. */
function AllRunning({ running }: { readonly running: Answer<'listExecutions'> }) {
  return (
    <>
      {countOf(running)} running.{' '}
      <Link to="/executions" search={{ status: 'running' }} className="text-accent underline">
        All running executions
      </Link>
    </>
  );
}

function RunningRow({
  execution,
  isFollowed,
}: {
  readonly execution: Execution;
  readonly isFollowed: boolean;
}) {
  const {
    execution_id: id,
    endpoint,
    started_at: startedAt,
    created_at: createdAt,
    agent_name: agent,
  } = execution;
  return (
    <Link
      to="/executions/$id"
      params={{ id }}
      className="flex flex-col gap-0.5 px-4 py-2 hover:bg-accent-wash"
    >
      <span className="flex flex-wrap items-center gap-x-3">
        <StateMark state="running" isCompact />
        <code className="font-semibold">{endpoint}</code>
        <span className="text-sm text-soft">
          for <Elapsed since={startedAt ?? createdAt} />
          {agent !== null && ` on ${agent}`}
        </span>
      </span>
      {isFollowed && <LastLine executionId={id} className="pl-7" />}
    </Link>
  );
}
