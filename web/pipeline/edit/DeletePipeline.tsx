import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { Confirm } from '../../design/overlay/Confirm.tsx';
import type { WirePipeline } from '../graph/wire-pipeline.ts';

/** One from a file is taken out of the file instead. */
export function DeletePipeline({ pipeline: { slug, source } }: { readonly pipeline: WirePipeline }) {
  const can = useMay('pipeline.edit');
  const navigate = useNavigate();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const remove = useAction('deletePipeline', {
    changes: ['listPipelines'],
    doneMessage: () => `The pipeline ${slug} is deleted`,
    onDone: () => void navigate({ to: '/pipelines' }),
  });
  if (source === 'config') return null;
  return (
    <>
      <Button kind="danger" why={can.ok ? undefined : can.reason} onClick={() => setIsDialogOpen(true)}>
        Delete
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Delete the pipeline ${slug}?`}
        action="Delete pipeline"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ parameters: { slug } })}
      >
        <p>It can be started no more. Runs that have begun go on, and stay on record.</p>
      </Confirm>
    </>
  );
}
