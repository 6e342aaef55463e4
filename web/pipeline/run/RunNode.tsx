import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Answer } from '../../api/read.ts';
import { PendingApprovalOf } from '../../approval/PendingApproval.tsx';
import { PickOne } from '../../design/form/PickOne.tsx';
import { Section } from '../../design/Page.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { ExecutionOutput } from '../../execution/ExecutionOutput.tsx';
import { shownRunState } from './run-words.ts';

type Node = Answer<'showPipelineRun'>['nodes'][number];

/** The output of the selected node, by attempt. */
export function RunNode({ node }: { readonly node: Node }) {
  const { attempts, status, error, holds, carried } = node;
  const [chosen, choose] = useState<string>();
  const attempt = attempts.find(({ execution_id: id }) => id === chosen) ?? attempts.at(-1);
  const options = attempts.map(({ attempt: number, execution_id: value }) => ({
    value,
    label: `Attempt ${number}`,
  }));
  return (
    <Section title={node.node} aside={<StateMark state={shownRunState(status)} />}>
      {error !== undefined && <p className="text-bad">{error}</p>}
      {holds !== undefined && <p>The condition is {holds ? 'true' : 'false'}.</p>}
      {carried && (
        <p className="text-soft">The result is reused from the previous run; this step did not run again.</p>
      )}
      {attempt === undefined ? (
        holds === undefined && carried === undefined && <p className="text-soft">This step has not run.</p>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-4">
            {options.length > 1 && (
              <PickOne label="Attempt" options={options} value={attempt.execution_id} onChange={choose} />
            )}
            <Link
              to="/executions/$id"
              params={{ id: attempt.execution_id }}
              className="text-accent underline"
            >
              Open execution
            </Link>
          </div>
          {status === 'waiting_approval' && node.endpoint !== undefined && (
            <PendingApprovalOf executionId={attempt.execution_id} endpoint={node.endpoint} />
          )}
          <div className="h-[min(60vh,32rem)] min-h-72">
            <ExecutionOutput
              key={attempt.execution_id}
              executionId={attempt.execution_id}
              slug={node.endpoint ?? node.node}
            />
          </div>
        </>
      )}
    </Section>
  );
}
