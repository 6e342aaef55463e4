import { storedPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Answer, read } from '../../api/read.ts';
import { Disclosure } from '../../design/Disclosure.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Page } from '../../design/Page.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { CodeBlock } from '../../design/text/Code.tsx';
import { Id } from '../../design/text/Id.tsx';
import { Elapsed, Time } from '../../design/time/Time.tsx';
import { PipelineCanvas } from '../canvas/PipelineCanvas.tsx';
import { RunActions } from './RunActions.tsx';
import { RunNode } from './RunNode.tsx';
import { firstToShow, shownNodes } from './run-graph.ts';
import { RUN_TRIGGER_WORDS, shownRunState } from './run-words.ts';

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

interface RunCanvasProps {
  readonly run: Answer<'showPipelineRun'>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

/** The graph of the run, in the version the run started with. */
function RunCanvas({ run, selected, onSelect }: RunCanvasProps) {
  const parameters = { slug: run.pipeline, version: String(run.version) };
  const { data, error } = useQuery(read('showPipelineVersion', { parameters }));
  const pipeline = useMemo(() => data && storedPipeline(data.definition as WireDefinition), [data]);
  const shown = useMemo(() => shownNodes(run.nodes), [run.nodes]);
  if (pipeline === undefined) return error ? <Problem error={error} /> : <Loading what="the graph" />;
  return <PipelineCanvas pipeline={pipeline} shown={shown} selected={selected} onSelect={onSelect} />;
}

function RunFacts({ run }: { readonly run: Answer<'showPipelineRun'> }) {
  const { run_id, status, trigger, version, rerun_of, stopped_by, error, created_at, started_at, ended_at } =
    run;
  const failed = run.nodes.filter((node) => node.status === 'failed').length;
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
      <StateMark state={shownRunState(status)} />
      {status === 'succeeded' && failed > 0 && (
        <span className="font-semibold text-bad">
          {failed === 1 ? '1 step failed' : `${failed} steps failed`}
        </span>
      )}
      {started_at !== null && <Elapsed since={started_at} until={ended_at} />}
      <span className="text-soft">
        {RUN_TRIGGER_WORDS[trigger]} <Time at={created_at} />
      </span>
      <span className="text-soft">version {version}</span>
      {stopped_by !== undefined && (
        <span>
          failed at <code>{stopped_by}</code>
        </span>
      )}
      {rerun_of !== undefined && (
        <Link to="/pipeline-runs/$id" params={{ id: rerun_of }} className="text-accent underline">
          previous run
        </Link>
      )}
      <Id id={run_id} copyLabel="Copy run ID" />
      {error !== undefined && <p className="w-full text-bad">{error}</p>}
    </div>
  );
}
