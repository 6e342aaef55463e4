import { FILE_FIELDS } from '@svc/core/endpoint/managed/overrides';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { forgetDraft } from '../../design/form/use-kept-draft.ts';
import { Problem } from '../../design/list/Problem.tsx';
import { Confirm } from '../../design/overlay/Confirm.tsx';
import { showDone } from '../../design/overlay/toasts.ts';
import { deletionKey } from '../deletion.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { changesBetween, draftedDefinition } from './drafted-definition.ts';
import { EndpointForm } from './EndpointForm.tsx';
import { endpointDraftOf } from './endpoint-draft.ts';
import { Overrides } from './Overrides.tsx';

type Change = Parameters<typeof api.changeEndpoint>[0]['body'];

/** The form that changes an endpoint, and its deletion. */
export function SettingsTab({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { slug, source } = endpoint;
  const edit = useMay('endpoint.edit');
  const save = useChange(endpoint);
  const isFromFile = source === 'config';
  const before = endpointDraftOf(endpoint);
  return (
    <div className="flex flex-col gap-6">
      {isFromFile && (
        <p className="max-w-prose text-soft">
          Defined in the agent's svc.yaml. Edit the command, its arguments, environment, folder, transform and
          agent there; changes appear within a second. Other changes here override svc.yaml. An override can
          make approval and limits stricter, never looser.
        </p>
      )}
      <Overrides endpoint={endpoint} onRemove={(field) => save.mutate({ [field]: null } as Change)} />
      <EndpointForm
        initial={before}
        draftName={draftName(endpoint)}
        locked={isFromFile ? FILE_FIELDS : []}
        action={`Save ${slug}`}
        why={edit.ok ? undefined : edit.reason}
        error={save.error}
        isPending={save.isPending}
        onSave={(draft) =>
          save.mutate(changesBetween(draftedDefinition(before), draftedDefinition(draft)) as Change)
        }
      />
      {!isFromFile && <Removal endpoint={endpoint} />}
    </div>
  );
}

function draftName({ id, version }: WireEndpoint): string {
  return `endpoint.${id}.${version}`;
}

function useChange(endpoint: WireEndpoint) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (change: Change) =>
      api.changeEndpoint({
        parameters: { name: endpoint.slug },
        body: { ...change, version: endpoint.version },
      }),
    onSuccess: async (now) => {
      forgetDraft(draftName(endpoint));
      showDone(`${now.slug} saved as version ${now.version}`);
      if (now.slug !== endpoint.slug)
        await navigate({
          to: '/endpoints/$name',
          params: { name: now.slug },
          search: { tab: 'settings' },
          ignoreBlocker: true,
        });
    },
    onSettled: () => {
      for (const route of ['showEndpoint', 'listEndpoints', 'listEndpointVersions', 'listSchedules'])
        void client.invalidateQueries({ queryKey: [route] });
    },
  });
}

function Removal({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { slug } = endpoint;
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const edit = useMay('endpoint.edit');
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationKey: deletionKey(slug),
    mutationFn: () => api.deleteEndpoint({ parameters: { name: slug } }),
    onSuccess: async () => {
      showDone(`Endpoint ${slug} deleted`);
      forgetDraft(draftName(endpoint));
      await navigate({ to: '/endpoints', ignoreBlocker: true });
      await client.invalidateQueries({ queryKey: ['listEndpoints'] });
    },
  });
  return (
    <section className="flex flex-col items-start gap-2 border-t border-line pt-4">
      <h3 className="text-sm">Delete endpoint</h3>
      <p className="text-sm text-soft">
        The URL returns 404 afterwards. Running executions continue, and the history is kept.
      </p>
      <Button kind="danger" why={edit.ok ? undefined : edit.reason} onClick={() => setIsDialogOpen(true)}>
        Delete {slug}
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Delete endpoint ${slug}?`}
        action={`Delete ${slug}`}
        onConfirm={() => remove.mutate()}
        isPending={remove.isPending}
        typed={slug}
      >
        <p>The URL returns 404 afterwards, and the schedule ends. You cannot undo this.</p>
        {remove.error && <Problem error={remove.error} />}
      </Confirm>
    </section>
  );
}
