import { hasEnded } from '@svc/core/execution/state';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { problemWords } from '../../api/refusal-words.ts';
import { Button } from '../../design/Button.tsx';
import { showProblem } from '../../design/overlay/toasts.ts';
import { useReplay } from '../stream/use-execution-stream.ts';
import type { ShownExecution } from '../wire-execution.ts';

/** The actions on an execution: cancel, replay, run again. */
export function ExecutionActions({ execution }: { readonly execution: ShownExecution }) {
  const { execution_id: id, status, endpoint } = execution;
  const allowed = useMay('endpoint.execute');
  const isOver = hasEnded(status);
  const client = useQueryClient();
  const again = useRunAgain(execution);
  const replay = useReplay(id);
  const cancel = useMutation({
    mutationFn: () => api.cancelExecution({ parameters: { id } }),
    onError: (error) => showRefusal(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['showExecution'] }),
  });
  return (
    <>
      {!isOver && (
        <Button
          kind="danger"
          onClick={() => cancel.mutate()}
          isPending={cancel.isPending}
          why={allowed.ok ? undefined : allowed.reason}
        >
          Cancel run
        </Button>
      )}
      {isOver && execution.started_at !== null && <Button onClick={replay}>Replay</Button>}
      <Button
        kind={isOver ? 'primary' : 'quiet'}
        onClick={again.run}
        isPending={again.isPending}
        why={allowed.ok ? undefined : allowed.reason}
      >
        Run {endpoint} again
      </Button>
    </>
  );
}

/** Runs again with the same values; with a secret among them, opens the run form, which asks for it. */
function useRunAgain({ endpoint, args, execution_id: id }: ShownExecution) {
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => api.runAgain({ parameters: { id }, body: {} }),
    onSuccess: ({ execution_id: next }) => navigate({ to: '/executions/$id', params: { id: next } }),
    onError: (error) => showRefusal(error),
  });
  const hasSecret = Object.values(args).includes(null);
  const openForm = () =>
    void navigate({ to: '/endpoints/$name', params: { name: endpoint }, search: { again: id } });
  return { run: hasSecret ? openForm : () => start.mutate(), isPending: start.isPending };
}

function showRefusal(error: Error): void {
  const { title, advice } = problemWords(error);
  showProblem(title, advice);
}
