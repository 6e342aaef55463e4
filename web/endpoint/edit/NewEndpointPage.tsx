import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { showDone } from '../../design/overlay/toasts.ts';
import { Page } from '../../design/Page.tsx';
import { draftedDefinition } from './drafted-definition.ts';
import { EndpointForm } from './EndpointForm.tsx';
import { type EndpointDraft, NEW_ENDPOINT } from './endpoint-draft.ts';

type NewEndpoint = Parameters<typeof api.createEndpoint>[0]['body'];

/** Makes an endpoint that stands in no file: its command is sent to the agent with each run. */
export function NewEndpointPage() {
  const edit = useMay('endpoint.edit');
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (draft: EndpointDraft) =>
      api.createEndpoint({ body: draftedDefinition(draft) as NewEndpoint }),
    onSuccess: async ({ slug }) => {
      showDone(`${slug} can be called`);
      await client.invalidateQueries({ queryKey: ['listEndpoints'] });
      await navigate({ to: '/endpoints/$name', params: { name: slug } });
    },
  });
  return (
    <Page
      title="New endpoint"
      about={
        <>
          A command that gets a URL. It is sent to its agent with each run; an agent started with{' '}
          <code className="whitespace-nowrap">--local-only</code> refuses it.
        </>
      }
    >
      <EndpointForm
        initial={NEW_ENDPOINT}
        locked={[]}
        action="Make the endpoint"
        why={edit.ok ? undefined : edit.reason}
        error={create.error}
        isPending={create.isPending}
        onSave={(draft) => create.mutate(draft)}
      />
    </Page>
  );
}
