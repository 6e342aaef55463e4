import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { Confirm } from '../../design/overlay/Confirm.tsx';
import type { WirePipeline } from '../graph/wire-pipeline.ts';

/** Deletes a managed pipeline; one from svc.yaml is deleted there. */
export function DeletePipeline({ pipeline: { slug, source } }: { readonly pipeline: WirePipeline }) {
  const can = useMay('pipeline.edit');
  const navigate = useNavigate();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const remove = useAction('deletePipeline', {
    changes: ['listPipelines'],
    doneMessage: () => `Pipeline ${slug} deleted`,
    onDone: () => void navigate({ to: '/pipelines' }),
  });
  if (source === 'config') return null;
  return (
    <>
      <Button kind="danger" why={can.ok ? undefined : can.reason} onClick={() => setIsDialogOpen(true)}>
        Delete pipeline
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Delete pipeline ${slug}?`}
        action="Delete pipeline"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ parameters: { slug } })}
      >
        <p>The pipeline cannot run again. Current runs continue, and the history is kept.</p>
      </Confirm>
    </>
  );
}
