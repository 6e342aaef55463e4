import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Locked } from '../../design/list/Locked.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Page } from '../../design/Page.tsx';
import { bodyOf, emptyPipeline } from '../graph/wire-pipeline.ts';
import { DraftView } from './DraftView.tsx';
import { useDraft } from './use-draft.ts';

const FIRST = emptyPipeline('');

/** Draws a pipeline that stands in no file. */
export function NewPipelinePage() {
  const can = useMay('pipeline.edit');
  return (
    <Page
      title="New pipeline"
      about="Add a step for each endpoint, drag from a handle to what runs next. It can be started once it is saved."
    >
      {can.ok ? <Drawing /> : <Locked what="Drafts of pipelines" reason={can.reason} />}
    </Page>
  );
}

function Drawing() {
  const draft = useDraft(FIRST);
  const { pipeline, change } = draft;
  const navigate = useNavigate();
  const make = useAction('createPipeline', {
    changes: ['listPipelines'],
    told: ({ slug }) => `${slug} can be started`,
    isProblemShown: true,
    onDone: ({ slug }) => void navigate({ to: '/pipelines/$slug', params: { slug } }),
  });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          value={pipeline.slug}
          onChange={(slug) => change((drawn) => ({ ...drawn, slug }))}
          isCode
          hint="The last part of its URL: lower-case letters, digits, - and _."
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
        hasSecret={false}
        save={(why) => (
          <Button
            kind="primary"
            isPending={make.isPending}
            why={why}
            onClick={() => make.mutate({ body: bodyOf(pipeline) })}
          >
            Make the pipeline
          </Button>
        )}
        problem={make.error && <Problem error={make.error} />}
      />
    </>
  );
}
