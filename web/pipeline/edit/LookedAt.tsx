import { useMemo, useState } from 'react';
import { PipelineCanvas } from '../canvas/PipelineCanvas.tsx';
import { pipelineOf, type WirePipeline } from '../graph/wire-pipeline.ts';
import { definitionYaml } from '../yaml/definition-yaml.ts';

interface ReadOnlyPipelineProps {
  readonly saved: WirePipeline;
  /** Why the pipeline cannot be edited here. */
  readonly reason: string;
}

const NO_CARD_STATES = new Map();

export function ReadOnlyPipeline({ saved, reason }: ReadOnlyPipelineProps) {
  const pipeline = useMemo(() => pipelineOf(saved), [saved]);
  const [selected, select] = useState<string>();
  const node = saved.nodes.find(({ id }) => id === selected);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">{reason}</p>
      <PipelineCanvas pipeline={pipeline} shown={NO_CARD_STATES} selected={selected} onSelect={select} />
      {node !== undefined && (
        <pre
          dir="ltr"
          className="rounded border border-line bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap"
        >
          {definitionYaml(node)}
        </pre>
      )}
    </div>
  );
}
