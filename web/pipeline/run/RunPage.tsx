import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Answer, read } from '../../api/read.ts';
import { Disclosure } from '../../design/Disclosure.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Page } from '../../design/Page.tsx';
import { CodeBlock } from '../../design/text/Code.tsx';
import { RunActions } from './RunActions.tsx';
import { RunCanvas } from './RunCanvas.tsx';
import { RunFacts } from './RunFacts.tsx';
import { RunNode } from './RunNode.tsx';
import { firstToShow } from './run-graph.ts';

/** One run: its graph with the states of the nodes, and the output of the selected node. */
export function RunPage() {
  const { id } = useParams({ from: '/pipeline-runs/$id' });
  const { data, error, refetch } = useQuery(read('showPipelineRun', { parameters: { id } }));
  if (data !== undefined) return <Shown key={id} run={data} />;
  return (
    <Page title="Pipeline run">
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the run" />}
    </Page>
  );
}

function Shown({ run }: { readonly run: Answer<'showPipelineRun'> }) {
  const [chosen, choose] = useState<string>();
  const first = useMemo(() => firstToShow(run.nodes), [run.nodes]);
  const node = run.nodes.find((one) => one.node === (chosen ?? first));
  return (
    <Page
      title={`Run of ${run.pipeline}`}
      heading={
        <>
          Run of{' '}
          <Link to="/pipelines/$slug" params={{ slug: run.pipeline }} className="font-mono hover:underline">
            {run.pipeline}
          </Link>
        </>
      }
      actions={<RunActions run={run} />}
    >
      <RunFacts run={run} />
      <RunCanvas run={run} selected={node?.node} onSelect={choose} />
      {node !== undefined && <RunNode key={node.node} node={node} />}
      {run.input !== undefined && Object.keys(run.input).length > 0 && (
        <Disclosure summary="Input">
          <CodeBlock text={JSON.stringify(run.input, undefined, 2)} copyLabel="Copy input" />
        </Disclosure>
      )}
    </Page>
  );
}
