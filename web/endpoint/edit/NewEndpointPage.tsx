import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { forgetDraft, useKeptDraft } from '../../design/form/use-kept-draft.ts';
import { showDone } from '../../design/overlay/toasts.ts';
import { Page } from '../../design/Page.tsx';
import { draftedDefinition } from './drafted-definition.ts';
import { EndpointForm } from './EndpointForm.tsx';
import { type EndpointDraft, NEW_ENDPOINT } from './endpoint-draft.ts';

const DRAFT = 'new-endpoint';

type NewEndpoint = Parameters<typeof api.createEndpoint>[0]['body'];

/** Creates a managed endpoint, one that is in no svc.yaml: the agent receives its command with every run. */
export function NewEndpointPage() {
  const edit = useMay('endpoint.edit');
  const kept = useKeptDraft(DRAFT, NEW_ENDPOINT);
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (draft: EndpointDraft) =>
      api.createEndpoint({ body: draftedDefinition(draft) as NewEndpoint }),
    onSuccess: async ({ slug }) => {
      showDone(`Endpoint ${slug} created`);
      await client.invalidateQueries({ queryKey: ['listEndpoints'] });
      forgetDraft(DRAFT);
      await navigate({ to: '/endpoints/$name', params: { name: slug }, ignoreBlocker: true });
    },
  });
  return (
    <Page
      title="Create endpoint"
      about={
        <>
          Give a command a URL. The agent receives the command with every run. Agents started with{' '}
          <code className="whitespace-nowrap">--local-only</code> refuse it.
        </>
      }
    >
      <EndpointForm
        kept={kept}
        locked={[]}
        action="Create endpoint"
        why={edit.ok ? undefined : edit.reason}
        error={create.error}
        isPending={create.isPending}
        onSave={(draft) => create.mutate(draft)}
        hasTestRun
      />
    </Page>
  );
}
