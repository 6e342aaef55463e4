import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { Suspense, useMemo, useRef, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { lazyHeavyPart } from '../../api/live/load-part.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import type { Saved } from '../../design/form/edit.ts';
import { NewerVersion } from '../../design/form/NewerVersion.tsx';
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
  const newest = useMemo(() => savedOf(saved), [saved]);
  const draft = useDraft(`pipeline.${saved.id}`, newest);
  const { base, pipeline, isOutdated } = draft;
  const sent = useRef(pipeline);
  const save = useAction('changePipeline', {
    changes: ['showPipeline', 'listPipelines', 'listPipelineVersions'],
    doneMessage: ({ slug, version }) => `${slug} saved as version ${version}`,
    isProblemShown: true,
    onDone: (now) => draft.onSaved(savedOf(now), sent.current),
  });
  const send = () => {
    sent.current = pipeline;
    save.mutate({ parameters: { slug: saved.slug }, body: changeOf(pipeline, base.version) });
  };
  const chooses = (choose: () => void) => () => {
    save.reset();
    choose();
  };
  // The own save may arrive as an event before its response.
  const mustChoose = isOutdated && !save.isPending;
  return (
    <DraftView
      // Another version may lack the selected card.
      key={base.version}
      draft={draft}
      hasSecret={saved.has_secret}
      save={(why) => (
        <Button
          kind="primary"
          isPending={save.isPending}
          why={draft.isChanged ? (mustChoose ? CHOOSE_FIRST : why) : 'No changes to save.'}
          onClick={send}
        >
          Save {saved.slug}
        </Button>
      )}
      problem={
        mustChoose ? (
          <NewerVersion
            base={base.version}
            newest={saved}
            onApply={chooses(draft.rebase)}
            onDiscard={chooses(draft.discard)}
          >
            Applied to version {saved.version}, your pipeline replaces it as a whole when you save.
          </NewerVersion>
        ) : (
          save.error && <Problem error={save.error} />
        )
      }
    />
  );
}

const CHOOSE_FIRST = 'First choose what happens with your changes.';

function savedOf(pipeline: WirePipeline): Saved<Pipeline> {
  return { version: pipeline.version, content: pipelineOf(pipeline) };
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
