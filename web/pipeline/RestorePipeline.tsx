import { storedPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { RestoreVersion } from '../design/overlay/RestoreVersion.tsx';
import { changeOf, type WirePipeline } from './graph/wire-pipeline.ts';

interface RestorePipelineProps {
  /** As it is now. */
  readonly pipeline: WirePipeline;
  /** The earlier version. */
  readonly version: number;
}

/** Saves the definition of an earlier version of a pipeline as a new version. */
export function RestorePipeline({ pipeline, version }: RestorePipelineProps) {
  const { slug, version: newest, source } = pipeline;
  const [isOpen, setIsOpen] = useState(false);
  const can = useMay('pipeline.edit');
  const { data, error } = useQuery({
    ...read('showPipelineVersion', { parameters: { slug, version: String(version) } }),
    enabled: isOpen,
  });
  const restore = useAction('changePipeline', {
    changes: ['showPipeline', 'listPipelines', 'listPipelineVersions'],
    doneMessage: (now) => `${now.slug} saved as version ${now.version}`,
    isProblemShown: true,
    onDone: () => setIsOpen(false),
  });
  const why = can.ok
    ? source === 'config'
      ? 'Defined in svc.yaml. Restore the pipeline there.'
      : undefined
    : can.reason;
  return (
    <RestoreVersion
      slug={slug}
      version={version}
      why={why}
      isOpen={isOpen}
      onOpen={setIsOpen}
      isPending={data === undefined || restore.isPending}
      problem={error ?? restore.error}
      onRestore={() => {
        if (data === undefined) return;
        const earlier = { ...storedPipeline(data.definition as WireDefinition), slug };
        restore.mutate({ parameters: { slug }, body: changeOf(earlier, newest) });
      }}
    >
      Saves its definition as a new version; later versions stay in the list. Current runs continue.
    </RestoreVersion>
  );
}
