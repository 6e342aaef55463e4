import { FILE_FIELDS } from '@svc/core/endpoint/managed/overrides';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { fieldsInConflict, type Saved } from '../../design/form/edit.ts';
import { NewerVersion } from '../../design/form/NewerVersion.tsx';
import { type KeptEdit, useEdit } from '../../design/form/use-edit.ts';
import { forgetDraft } from '../../design/form/use-kept-draft.ts';
import { Problem } from '../../design/list/Problem.tsx';
import { Confirm } from '../../design/overlay/Confirm.tsx';
import { showDone } from '../../design/overlay/toasts.ts';
import { deletionKey } from '../deletion.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { changesBetween, draftedDefinition } from './drafted-definition.ts';
import { EndpointForm } from './EndpointForm.tsx';
import { type EndpointDraft, endpointDraftOf } from './endpoint-draft.ts';
import { Overrides } from './Overrides.tsx';

type Change = Parameters<typeof api.changeEndpoint>[0]['body'];

/** The form that changes an endpoint, and its deletion. */
export function SettingsTab({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { slug, source } = endpoint;
  const may = useMay('endpoint.edit');
  const edit = useEdit(draftName(endpoint), savedOf(endpoint));
  const { base, draft, isOutdated } = edit;
  const save = useChange(endpoint, edit);
  const isFromFile = source === 'config';
  const chooses = (choose: () => void) => () => {
    save.reset();
    choose();
  };
  return (
    <div className="flex flex-col gap-6">
      {isFromFile && (
        <p className="max-w-prose text-soft">
          Defined in the agent's svc.yaml. Edit the command, its arguments, environment, folder, transform and
          agent there; changes appear within a second. Other changes here override svc.yaml. An override can
          make approval and limits stricter, never looser.
        </p>
      )}
      <Overrides
        endpoint={endpoint}
        onRemove={(field) => save.mutate({ change: { [field]: null } as Change, before: endpoint.version })}
      />
      <EndpointForm
        // Another version begins without the problems of the last one.
        key={base.version}
        kept={{ ...edit, isRestored: edit.isRestored && !isOutdated }}
        locked={isFromFile ? FILE_FIELDS : []}
        action={`Save ${slug}`}
        why={may.ok ? (isOutdated && !save.isPending ? CHOOSE_FIRST : undefined) : may.reason}
        error={isOutdated ? null : save.error}
        isPending={save.isPending}
        onSave={(sent) => {
          const change = changesBetween(draftedDefinition(base.content), draftedDefinition(sent)) as Change;
          save.mutate({ change, before: base.version, sent });
        }}
        notice={
          // The own save may arrive as an event before its response.
          isOutdated &&
          !save.isPending && (
            <NewerVersion
              base={base.version}
              newest={endpoint}
              onApply={chooses(edit.rebase)}
              onDiscard={chooses(edit.discard)}
            >
              <Conflicts fields={fieldsInConflict({ base, content: draft }, savedOf(endpoint))} />
            </NewerVersion>
          )
        }
      />
      {!isFromFile && <Removal endpoint={endpoint} />}
    </div>
  );
}

const CHOOSE_FIRST = 'First choose what happens with your changes.';

/** The fields that are changed here and in the newer version. */
function Conflicts({ fields }: { readonly fields: readonly string[] }) {
  if (fields.length === 0) return 'The newer version changes none of the fields that you changed.';
  return (
    <>
      Both versions change <code>{fields.join(', ')}</code>: yours would replace the newer value.
    </>
  );
}

function draftName({ id }: WireEndpoint): string {
  return `endpoint.${id}`;
}

function savedOf(endpoint: WireEndpoint): Saved<EndpointDraft> {
  return { version: endpoint.version, content: endpointDraftOf(endpoint) };
}

interface Save {
  readonly change: Change;
  /** The version that the change is based on. */
  readonly before: number;
  /** The content of the form; absent: the change is not from the form. */
  readonly sent?: EndpointDraft;
}

function useChange(endpoint: WireEndpoint, edit: KeptEdit<EndpointDraft>) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ change, before }: Save) =>
      api.changeEndpoint({ parameters: { name: endpoint.slug }, body: { ...change, version: before } }),
    onSuccess: async (now, { before, sent }) => {
      // The form shows what was saved at once, and not the version before it.
      for (const name of [endpoint.slug, now.slug])
        client.setQueryData(read('showEndpoint', { parameters: { name } }).queryKey, now);
      edit.onSaved({ before, now: savedOf(now as WireEndpoint), ...(sent !== undefined && { sent }) });
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
