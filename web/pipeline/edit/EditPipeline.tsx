import { Suspense, useMemo, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { lazyHeavyPart } from '../../api/live/load-part.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { forgetDraft } from '../../design/form/use-kept-draft.ts';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { PipelineCanvas } from '../canvas/PipelineCanvas.tsx';
import { changeOf, pipelineOf, type WirePipeline } from '../graph/wire-pipeline.ts';
import { DraftView } from './DraftView.tsx';
import { useDraft } from './use-draft.ts';

const DefinitionYaml = lazyHeavyPart(async () => (await import('../yaml/DefinitionYaml.tsx')).DefinitionYaml);

/** An existing pipeline: an editor with the permission, a read-only graph without it. */
export function EditPipeline({ saved }: { readonly saved: WirePipeline }) {
  const can = useMay('pipeline.edit');
  if (!can.ok) return <ReadOnlyPipeline saved={saved} reason={can.reason} />;
  if (saved.source === 'config')
    return (
      <ReadOnlyPipeline
        saved={saved}
        reason={`Defined in svc.yaml of agent ${saved.agent_name ?? 'unknown'}. Edit it there.`}
      />
    );
  return <Editor saved={saved} />;
}

function Editor({ saved }: { readonly saved: WirePipeline }) {
  const pipeline = useMemo(() => pipelineOf(saved), [saved]);
  const name = `pipeline.${saved.slug}.${saved.version}`;
  const draft = useDraft(name, pipeline);
  const save = useAction('changePipeline', {
    changes: ['showPipeline', 'listPipelines', 'listPipelineVersions'],
    doneMessage: ({ slug, version }) => `${slug} saved as version ${version}`,
    isProblemShown: true,
    onDone: () => forgetDraft(name),
  });
  const body = () => changeOf(draft.pipeline, saved.version);
  return (
    <DraftView
      draft={draft}
      hasSecret={saved.has_secret}
      save={(why) => (
        <Button
          kind="primary"
          isPending={save.isPending}
          why={draft.isChanged ? why : 'No changes to save.'}
          onClick={() => save.mutate({ parameters: { slug: saved.slug }, body: body() })}
        >
          Save {saved.slug}
        </Button>
      )}
      problem={save.error && <Problem error={save.error} />}
    />
  );
}

interface ReadOnlyPipelineProps {
  readonly saved: WirePipeline;
  /** Why the pipeline cannot be edited here. */
  readonly reason: string;
}

const NO_CARD_STATES = new Map();

function ReadOnlyPipeline({ saved, reason }: ReadOnlyPipelineProps) {
  const pipeline = useMemo(() => pipelineOf(saved), [saved]);
  const [selected, select] = useState<string>();
  const node = saved.nodes.find(({ id }) => id === selected);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">{reason}</p>
      <PipelineCanvas pipeline={pipeline} shown={NO_CARD_STATES} selected={selected} onSelect={select} />
      {node !== undefined && (
        <Suspense fallback={<Loading what="the step" />}>
          <DefinitionYaml definition={node} />
        </Suspense>
      )}
    </div>
  );
}
