import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import type { Answer } from '../../api/read.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { Confirm } from '../../design/overlay/Confirm.tsx';

const ENDED: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export function runHasEnded({ status }: Pick<Answer<'showPipelineRun'>, 'status'>): boolean {
  return ENDED.includes(status);
}

/** Cancels an open run, or runs the failed steps of an ended one again. */
export function RunActions({ run }: { readonly run: Answer<'showPipelineRun'> }) {
  if (!runHasEnded(run)) return <StopRun run={run} />;
  return run.status === 'succeeded' ? null : <RunAgain run={run} />;
}

function StopRun({
  run: { run_id: id, pipeline, cancel_asked_at },
}: {
  readonly run: Answer<'showPipelineRun'>;
}) {
  const can = useMay('endpoint.execute');
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const stop = useAction('cancelPipelineRun', {
    changes: ['showPipelineRun', 'listPipelineRuns'],
    doneMessage: () => `Cancelling the run of ${pipeline}`,
    onDone: () => setIsDialogOpen(false),
  });
  const why = cancel_asked_at === undefined ? undefined : 'The run is already being cancelled.';
  return (
    <>
      <Button kind="danger" onClick={() => setIsDialogOpen(true)} why={can.ok ? why : can.reason}>
        Cancel run
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Cancel the run of ${pipeline}?`}
        action="Cancel run"
        isPending={stop.isPending}
        onConfirm={() => stop.mutate({ parameters: { id } })}
      >
        <p>Running steps are cancelled, and the remaining steps are skipped.</p>
      </Confirm>
    </>
  );
}

function RunAgain({ run: { run_id: id } }: { readonly run: Answer<'showPipelineRun'> }) {
  const can = useMay('endpoint.execute');
  const navigate = useNavigate();
  const again = useAction('rerunPipelineRun', {
    changes: ['listPipelineRuns'],
    onDone: ({ run_id }) => void navigate({ to: '/pipeline-runs/$id', params: { id: run_id } }),
  });
  return (
    <Button
      kind="primary"
      isPending={again.isPending}
      why={can.ok ? undefined : can.reason}
      onClick={() => again.mutate({ parameters: { id } })}
    >
      Rerun failed steps
    </Button>
  );
}
