import { withShownAddresses } from '@svc/core/text/shown-address';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Visible } from '../../design/text/Code.tsx';
import { grouped } from '../../design/text/grouped.ts';
import { Id } from '../../design/text/Id.tsx';
import { Time } from '../../design/time/Time.tsx';
import { TRIGGER_WORDS } from '../list/execution-words.ts';
import { Took } from '../Took.tsx';
import type { ShownExecution } from '../wire-execution.ts';

/** The facts of an execution as name and value pairs; on a wide screen a panel. */
export function ExecutionFacts({ execution }: { readonly execution: ShownExecution }) {
  const { endpoint, exit_code: exitCode, agent_name: agent, endpoint_version: version } = execution;
  return (
    <dl className="grid grid-cols-2 items-start gap-x-6 gap-y-2 sm:grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] xl:flex xl:flex-wrap xl:gap-x-8 2xl:grid 2xl:grid-cols-1 2xl:rounded 2xl:bg-raised 2xl:p-4">
      {exitCode !== undefined && (
        <Fact name="Exit code">
          <span className={exitCode === 0 ? '' : 'font-semibold text-bad'}>{exitCode}</span>
        </Fact>
      )}
      {execution.started_at !== null && (
        <Fact name="Duration" changes={execution.ended_at === null}>
          <Took execution={execution} />
        </Fact>
      )}
      <Fact name="Started" changes>
        <Time at={execution.started_at ?? execution.created_at} />
      </Fact>
      <Fact name="Started by">
        <Visible text={withShownAddresses(execution.requested_by)} />
      </Fact>
      <Fact name="Trigger">
        {execution.run_id === undefined ? (
          TRIGGER_WORDS[execution.trigger]
        ) : (
          <Link
            to="/pipeline-runs/$id"
            params={{ id: execution.run_id }}
            className="text-accent hover:underline"
          >
            Pipeline run, step {execution.step}
          </Link>
        )}
      </Fact>
      {agent !== null && (
        <Fact name="Agent">
          <Visible text={agent} />
        </Fact>
      )}
      <Fact name="Endpoint">
        <Link to="/endpoints/$name" params={{ name: endpoint }} className="text-accent hover:underline">
          {version === null ? endpoint : `${endpoint}, version ${version}`}
        </Link>
      </Fact>
      {execution.scheduled_for !== undefined && (
        <Fact name="Scheduled for">
          <Time at={execution.scheduled_for} />
        </Fact>
      )}
      {execution.missed_fires !== undefined && (
        <Fact name="Missed">{grouped(execution.missed_fires)} times</Fact>
      )}
      {execution.late && <Fact name="Late">the agent reported the result after the execution was lost</Fact>}
      <Fact name="ID">
        <span className="-my-1.5 inline-block">
          <Id id={execution.execution_id} copyLabel="Copy execution ID" isShort />
        </span>
      </Fact>
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: ReactNode;
  /** The value changes with time. It has room to grow, so that no line breaks elsewhere and moves the output. */
  readonly changes?: boolean;
}

/** The name above its value, so that the facts stand in columns; beside it where they stand beside the output. */
function Fact({ name, children, changes = false }: FactProps) {
  return (
    <div className="min-w-0 2xl:grid 2xl:grid-cols-[6.5rem_minmax(0,1fr)] 2xl:items-baseline">
      <dt className="text-sm text-soft">{name}</dt>
      <dd className={changes ? 'min-w-20' : 'wrap-anywhere'}>{children}</dd>
    </div>
  );
}
