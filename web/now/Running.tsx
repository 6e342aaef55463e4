import { Link } from '@tanstack/react-router';
import type { Item } from '../api/read.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Elapsed } from '../design/time/Time.tsx';
import { useLastLine } from './last-line.ts';

type Execution = Item<'listExecutions'>;

/** A browser opens six connections to a host over HTTP/1.1; this leaves three for the rest. */
const FOLLOWED = 3;

interface RunningProps {
  /** Undefined: not loaded yet. */
  readonly executions: readonly Execution[] | undefined;
}

/** The running executions, each with its last line of output. */
export function Running({ executions }: RunningProps) {
  return (
    <Section title="Running">
      {executions === undefined && <Loading what="running executions" />}
      {executions?.length === 0 && (
        <p className="py-1 text-soft">
          Nothing is running. Press <kbd className="font-mono text-sm">Ctrl K</kbd> to run an endpoint.
        </p>
      )}
      {executions !== undefined && executions.length > 0 && (
        <ul aria-label="Running executions">
          {executions.map((execution, index) => (
            <li key={execution.execution_id} data-row="" className="border-b border-line">
              <RunningRow execution={execution} isFollowed={index < FOLLOWED} />
            </li>
          ))}
        </ul>
      )}
    </Section>
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
    <Link to="/executions/$id" params={{ id }} className="flex flex-col gap-0.5 px-1 py-2 hover:bg-sunken">
      <span className="flex flex-wrap items-center gap-x-3">
        <StateMark state="running" isCompact />
        <code className="font-semibold">{endpoint}</code>
        <span className="text-sm text-soft">
          for <Elapsed since={startedAt ?? createdAt} />
          {agent !== null && ` on ${agent}`}
        </span>
      </span>
      {isFollowed && <LastLine executionId={id} />}
    </Link>
  );
}

function LastLine({ executionId }: { readonly executionId: string }) {
  const line = useLastLine(executionId);
  return (
    <code dir="ltr" className="block h-5 truncate pl-7 text-sm text-soft">
      {line ?? 'No output yet'}
    </code>
  );
}
