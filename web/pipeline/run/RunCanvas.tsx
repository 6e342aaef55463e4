import { storedPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Answer, read } from '../../api/read.ts';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { PipelineCanvas } from '../canvas/PipelineCanvas.tsx';
import { shownNodes } from './run-graph.ts';

interface RunCanvasProps {
  readonly run: Answer<'showPipelineRun'>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

/** The graph of the run, in the version the run started with. */
export function RunCanvas({ run, selected, onSelect }: RunCanvasProps) {
  const parameters = { slug: run.pipeline, version: String(run.version) };
  const { data, error } = useQuery(read('showPipelineVersion', { parameters }));
  const pipeline = useMemo(() => data && storedPipeline(data.definition as WireDefinition), [data]);
  const shown = useMemo(() => shownNodes(run.nodes), [run.nodes]);
  if (pipeline === undefined) return error ? <Problem error={error} /> : <Loading what="the graph" />;
  return <PipelineCanvas pipeline={pipeline} shown={shown} selected={selected} onSelect={onSelect} />;
}
