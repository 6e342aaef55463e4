import { useMemo } from 'react';
import { useMay } from '../../account/account.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { changeOf, pipelineOf, type WirePipeline } from '../graph/wire-pipeline.ts';
import { DraftView } from './DraftView.tsx';
import { ReadOnlyPipeline } from './LookedAt.tsx';
import { useDraft } from './use-draft.ts';

/** The graph of a pipeline that there is: drawn by those who may, looked at by the others. */
export function EditPipeline({ saved }: { readonly saved: WirePipeline }) {
  const can = useMay('pipeline.edit');
  if (!can.ok) return <ReadOnlyPipeline saved={saved} reason={can.reason} />;
  if (saved.source === 'config')
    return (
      <ReadOnlyPipeline
        saved={saved}
        reason={`It is changed in the file of ${saved.agent_name ?? 'its agent'}.`}
      />
    );
  return <Drawn saved={saved} />;
}

function Drawn({ saved }: { readonly saved: WirePipeline }) {
  const pipeline = useMemo(() => pipelineOf(saved), [saved]);
  const draft = useDraft(pipeline);
  const save = useAction('changePipeline', {
    changes: ['showPipeline', 'listPipelines', 'listPipelineVersions'],
    doneMessage: ({ slug, version }) => `${slug} is saved as version ${version}`,
    isProblemShown: true,
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
          why={draft.isChanged ? why : 'Nothing is changed.'}
          onClick={() => save.mutate({ parameters: { slug: saved.slug }, body: body() })}
        >
          Save {saved.slug}
        </Button>
      )}
      problem={save.error && <Problem error={save.error} />}
    />
  );
}
