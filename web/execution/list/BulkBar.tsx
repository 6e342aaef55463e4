import { hasEnded } from '@svc/core/execution/state';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { lazyPart } from '../../api/live/load-part.ts';
import { problemWords } from '../../api/refusal-words.ts';
import { Button } from '../../design/Button.tsx';
import { Confirm } from '../../design/overlay/Confirm.tsx';
import { showDone, showProblem } from '../../design/overlay/toasts.ts';
import { grouped } from '../../design/text/grouped.ts';
import type { WireExecution } from '../wire-execution.ts';

const DecideMany = lazyPart(async () => (await import('../../approval/DecideMany.tsx')).DecideMany);

interface BulkBarProps {
  readonly selected: readonly WireExecution[];
  readonly onClear: () => void;
}

type Asked = 'cancel' | 'again' | 'decide';

/** The actions for the selected executions, at the lower edge of the screen. */
export function BulkBar({ selected, onClear }: BulkBarProps) {
  const [asked, setAsked] = useState<Asked>();
  const can = useMay('endpoint.execute');
  const why = can.ok ? undefined : can.reason;
  const open = selected.filter(({ status }) => !hasEnded(status));
  const ended = selected.filter(({ status }) => hasEnded(status));
  const pending = selected.filter(({ status }) => status === 'pending_approval');
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    onClear();
  };
  const cancel = useEach(
    'cancelled',
    ({ execution_id: id }) => api.cancelExecution({ parameters: { id } }),
    done,
  );
  const again = useEach(
    'started',
    ({ execution_id: id }) => api.runAgain({ parameters: { id }, body: {} }),
    done,
  );
  return (
    <section
      aria-label="Selected executions"
      className="sticky bottom-18 z-10 mt-4 flex flex-wrap items-center gap-3 self-center rounded border border-edge bg-raised px-4 py-2 shadow-float sm:bottom-4"
    >
      <span role="status">{grouped(selected.length)} selected</span>
      {pending.length > 0 && (
        <Button kind="primary" why={why} onClick={() => setAsked('decide')}>
          Review {grouped(pending.length)}…
        </Button>
      )}
      {open.length > 0 && (
        <Button kind="danger" why={why} onClick={() => setAsked('cancel')}>
          Cancel {grouped(open.length)}…
        </Button>
      )}
      {ended.length > 0 && (
        <Button why={why} onClick={() => setAsked('again')}>
          Run {grouped(ended.length)} again…
        </Button>
      )}
      <Button kind="plain" onClick={onClear}>
        Clear selection
      </Button>
      <Confirm
        isOpen={asked === 'cancel'}
        onClose={close}
        title={`Cancel ${executions(open.length)}?`}
        action={`Cancel ${executions(open.length)}`}
        isPending={cancel.isPending}
        onConfirm={() => cancel.mutate(open)}
      >
        <Names executions={open} />
        <p>Running commands are stopped. Executions that wait never start.</p>
      </Confirm>
      <Confirm
        isOpen={asked === 'again'}
        isHarmless
        onClose={close}
        title={`Run ${executions(ended.length)} again?`}
        action={`Run ${executions(ended.length)}`}
        isPending={again.isPending}
        onConfirm={() => again.mutate(ended)}
      >
        <Names executions={ended} />
        <p>
          Each runs the current version of its endpoint with the same values. Those with secret values fail.
        </p>
      </Confirm>
      <Suspense>
        {asked === 'decide' && (
          <DecideMany executionIds={pending.map((one) => one.execution_id)} onClose={done} />
        )}
      </Suspense>
    </section>
  );
}

/** The endpoints of some executions: "deploy × 2, logs". */
function Names({ executions: list }: { readonly executions: readonly WireExecution[] }) {
  const bySlug = Map.groupBy(list, ({ endpoint }) => endpoint);
  return (
    <p className="font-mono wrap-anywhere">
      {[...bySlug].map(([slug, { length }]) => (length === 1 ? slug : `${slug} × ${length}`)).join(', ')}
    </p>
  );
}

/** Repeats an action for each execution, and returns how many of them failed and why the first one did. */
function useEach(word: string, action: (execution: WireExecution) => Promise<unknown>, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (list: readonly WireExecution[]) => Promise.allSettled(list.map(action)),
    async onSuccess(results) {
      await client.invalidateQueries({ queryKey: ['listExecutions'] });
      const failed = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as Error] : [],
      );
      const [first] = failed;
      if (first === undefined) showDone(`${executions(results.length)} ${word}`);
      else
        showProblem(
          `${grouped(failed.length)} of ${executions(results.length)} not ${word}`,
          problemWords(first).title,
        );
      onDone();
    },
  });
}

function executions(many: number): string {
  return many === 1 ? '1 execution' : `${grouped(many)} executions`;
}
