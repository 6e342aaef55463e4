import { storedPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import { TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Suspense, useMemo, useRef, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import { type Answer, read } from '../../api/read.ts';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Page } from '../../design/Page.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Id } from '../../design/text/Id.tsx';
import { Elapsed, Time } from '../../design/time/Time.tsx';
import { useInSight } from '../../design/use-in-sight.ts';
import { useMedia } from '../../design/use-media.ts';
import { RunActions } from './RunActions.tsx';
import { RunInput, RunNode } from './RunNode.tsx';
import { RunTimeline } from './RunTimeline.tsx';
import { firstToShow, nextToShow, shownNodes } from './run-graph.ts';
import { RUN_TRIGGER_WORDS, shownRunState } from './run-words.ts';

/** One run: its steps along their time, the input and output of the selected one, and the graph beside them. */
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
  const [followed, follow] = useState(() => ({ nodes: run.nodes, node: firstToShow(run.nodes) }));
  if (followed.nodes !== run.nodes) follow({ nodes: run.nodes, node: nextToShow(run.nodes, followed) });
  const shown = chosen ?? followed.node;
  const node = run.nodes.find((one) => one.node === shown);
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
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_30rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <RunTimeline run={run} selected={shown} onSelect={choose} />
          {shown === TRIGGER_ID && <RunInput run={run} />}
          {node !== undefined && <RunNode key={node.node} run={run} node={node} />}
        </div>
        <div className="min-w-0 xl:sticky xl:top-16">
          <RunCanvas run={run} selected={shown} onSelect={choose} />
        </div>
      </div>
    </Page>
  );
}

const PipelineCanvas = lazyPart(async () => (await import('../canvas/PipelineCanvas.tsx')).PipelineCanvas);
/** Where the graph stands beside the steps, in a column that is narrow and high. */
const BESIDE = '(min-width: 1280px)';
const HEIGHT = 'h-[28rem] xl:h-[calc(100dvh-14rem)]';

interface RunCanvasProps {
  readonly run: Answer<'showPipelineRun'>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

/** The graph of the run, in the version the run started with. */
function RunCanvas({ run, selected, onSelect }: RunCanvasProps) {
  const parameters = { slug: run.pipeline, version: String(run.version) };
  const { data, error } = useQuery(read('showPipelineVersion', { parameters }));
  const place = useRef<HTMLDivElement>(null);
  const isInSight = useInSight(place);
  const pipeline = useMemo(() => data && storedPipeline(data.definition as WireDefinition), [data]);
  const shown = useMemo(() => shownNodes(run.nodes), [run.nodes]);
  const isBeside = useMedia(BESIDE);
  if (error) return <Problem error={error} />;
  return (
    <div ref={place} className={HEIGHT} data-graph="">
      <Suspense>
        {pipeline && isInSight && (
          <PipelineCanvas
            pipeline={pipeline}
            shown={shown}
            selected={selected}
            onSelect={onSelect}
            direction={isBeside ? 'TB' : undefined}
            height="h-full"
          />
        )}
      </Suspense>
    </div>
  );
}

function RunFacts({ run }: { readonly run: Answer<'showPipelineRun'> }) {
  const { run_id, status, trigger, version, rerun_of, stopped_by, error, created_at, started_at, ended_at } =
    run;
  const failed = run.nodes.filter((node) => node.status === 'failed').length;
  return (
    <div className="-mt-4 flex flex-wrap items-center gap-x-6 gap-y-1">
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
