import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import { type Answer, read } from '../../api/read.ts';
import { useAction } from '../../api/use-action.ts';
import { PendingApprovalOf } from '../../approval/PendingApproval.tsx';
import { Button } from '../../design/Button.tsx';
import { PickOne } from '../../design/form/PickOne.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { CodeBlock } from '../../design/text/Code.tsx';
import { Elapsed } from '../../design/time/Time.tsx';
import { ExecutionOutput } from '../../execution/ExecutionOutput.tsx';
import { CalledCommand } from '../../execution/page/CalledCommand.tsx';
import { runHasEnded } from './RunActions.tsx';
import { shownRunState } from './run-words.ts';

type Run = Answer<'showPipelineRun'>;
type Node = Run['nodes'][number];
type Attempt = Node['attempts'][number];

interface RunNodeProps {
  readonly run: Run;
  readonly node: Node;
}

/** The selected step: what it was called with, its approval, and its output, by attempt. */
export function RunNode({ run, node }: RunNodeProps) {
  const { attempts, status, error, holds, carried } = node;
  const [chosen, choose] = useState<string>();
  const attempt = attempts.find(({ execution_id: id }) => id === chosen) ?? attempts.at(-1);
  const options = attempts.map(({ attempt: number, execution_id: value }) => ({
    value,
    label: `Attempt ${number}`,
  }));
  return (
    <section className="flex min-w-0 flex-col gap-3" aria-label={node.node}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-mono text-lg font-semibold wrap-anywhere">{node.node}</h2>
        <StateMark state={shownRunState(status)} />
        {attempt && <AttemptFacts attempt={attempt} />}
        <div className="ml-auto flex flex-wrap items-center gap-2">
          {options.length > 1 && attempt && (
            <PickOne label="Attempt" options={options} value={attempt.execution_id} onChange={choose} />
          )}
          {runHasEnded(run) && node.kind === 'step' && <RunFrom run={run} step={node.node} />}
        </div>
      </div>
      {error !== undefined && <p className="text-bad wrap-anywhere">{error}</p>}
      {holds !== undefined && <p>The condition is {holds ? 'true' : 'false'}.</p>}
      {carried && (
        <p className="text-soft">The result is reused from the previous run; this step did not run again.</p>
      )}
      {attempt === undefined ? (
        holds === undefined && carried === undefined && <p className="text-soft">This step has not run.</p>
      ) : (
        <>
          {status === 'waiting_approval' && node.endpoint !== undefined ? (
            <div className="min-h-80 sm:min-h-56">
              <PendingApprovalOf executionId={attempt.execution_id} endpoint={node.endpoint} />
            </div>
          ) : (
            <>
              <AttemptInput key={attempt.execution_id} executionId={attempt.execution_id} />
              <div className="h-[min(60vh,32rem)] min-h-72">
                <ExecutionOutput
                  key={attempt.execution_id}
                  executionId={attempt.execution_id}
                  slug={node.endpoint ?? node.node}
                />
              </div>
            </>
          )}
        </>
      )}
    </section>
  );
}

function AttemptFacts({ attempt }: { readonly attempt: Attempt }) {
  const { execution_id: id, started_at, ended_at, agent_name: agent } = attempt;
  return (
    <span className="flex flex-wrap items-center gap-x-4 text-soft">
      {started_at !== null && <Elapsed since={started_at} until={ended_at} />}
      {agent !== null && <span>on {agent}</span>}
      <Link to="/executions/$id" params={{ id }} className="text-accent underline">
        Open execution
      </Link>
    </span>
  );
}

/** The command of the attempt with the values that the run gave it, in a box of one size: what stands below does not move. */
function AttemptInput({ executionId: id }: { readonly executionId: string }) {
  const { data } = useQuery(read('showExecution', { parameters: { id }, query: { without: 'result' } }));
  return (
    <section
      aria-label="Command"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, by keyboard too
      tabIndex={0}
      className="h-16 shrink-0 overflow-y-auto rounded border border-line bg-raised px-3 py-1.5 sm:h-10"
    >
      {data && <CalledCommand execution={data} />}
    </section>
  );
}

/** Runs the pipeline again from this step on, with the results of the steps before it. */
function RunFrom({ run: { run_id: id }, step }: { readonly run: Run; readonly step: string }) {
  const can = useMay('endpoint.execute');
  const navigate = useNavigate();
  const again = useAction('rerunPipelineRun', {
    changes: ['listPipelineRuns'],
    onDone: ({ run_id }) => void navigate({ to: '/pipeline-runs/$id', params: { id: run_id } }),
  });
  return (
    <Button
      isPending={again.isPending}
      why={can.ok ? undefined : can.reason}
      onClick={() => again.mutate({ parameters: { id }, body: { from: [step] } })}
    >
      Rerun from here
    </Button>
  );
}

/** What the run began with: the input of its trigger, and what the headers of a webhook said. */
export function RunInput({ run: { input, webhook } }: { readonly run: Run }) {
  const isEmpty = input === undefined || Object.keys(input).length === 0;
  return (
    <section className="flex min-w-0 flex-col gap-3" aria-label="Input">
      <h2 className="text-lg font-semibold">Input</h2>
      {isEmpty ? (
        <p className="text-soft">
          {input === undefined ? 'The input is no longer stored.' : 'This run began without input.'}
        </p>
      ) : (
        <CodeBlock text={JSON.stringify(input, undefined, 2)} copyLabel="Copy input" />
      )}
      {webhook && <CodeBlock text={JSON.stringify(webhook, undefined, 2)} copyLabel="Copy webhook facts" />}
    </section>
  );
}
