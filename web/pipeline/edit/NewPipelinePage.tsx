import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { forgetDraft } from '../../design/form/use-kept-draft.ts';
import { Locked } from '../../design/list/Locked.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Page } from '../../design/Page.tsx';
import { bodyOf, emptyPipeline } from '../graph/wire-pipeline.ts';
import { DraftView } from './DraftView.tsx';
import { useDraft } from './use-draft.ts';

const DRAFT = 'pipeline.new';
const FIRST = { version: 0, content: emptyPipeline('') };

/** Creates a managed pipeline, one that is in no svc.yaml. */
export function NewPipelinePage() {
  const can = useMay('pipeline.edit');
  return (
    <Page
      title="Create pipeline"
      about="Add a step for each endpoint, then drag from its handle to the next step. You can run the pipeline once it is saved."
    >
      {can.ok ? (
        <Drawing />
      ) : (
        <Locked title="Only owners and admins can create pipelines." reason={can.reason} />
      )}
    </Page>
  );
}

function Drawing() {
  const draft = useDraft(DRAFT, FIRST);
  const { pipeline, change } = draft;
  const navigate = useNavigate();
  const create = useAction('createPipeline', {
    changes: ['listPipelines'],
    doneMessage: ({ slug }) => `Pipeline ${slug} created`,
    isProblemShown: true,
    onDone({ slug }) {
      forgetDraft(DRAFT);
      void navigate({ to: '/pipelines/$slug', params: { slug }, ignoreBlocker: true });
    },
  });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          value={pipeline.slug}
          onChange={(slug) => change((drawn) => ({ ...drawn, slug }))}
          isCode
          hint="The last part of the URL: lower-case letters, digits, - and _."
        />
        <TextField
          label="Description"
          value={pipeline.description ?? ''}
          onChange={(description) =>
            change(({ description: _, ...rest }) => (description === '' ? rest : { ...rest, description }))
          }
        />
      </div>
      <DraftView
        draft={draft}
        isNew
        hasSecret={false}
        save={(why) => (
          <Button
            kind="primary"
            isPending={create.isPending}
            why={why}
            onClick={() => create.mutate({ body: bodyOf(pipeline) })}
          >
            Create pipeline
          </Button>
        )}
        problem={create.error && <Problem error={create.error} />}
      />
    </>
  );
}
