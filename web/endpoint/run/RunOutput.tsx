import { hasEnded } from '@svc/core/execution/state';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { read } from '../../api/read.ts';
import { useAction } from '../../api/use-action.ts';
import { PendingApprovalOf } from '../../approval/PendingApproval.tsx';
import { Button } from '../../design/Button.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { ExecutionOutput } from '../../execution/ExecutionOutput.tsx';
import { Took } from '../../execution/Took.tsx';

interface RunOutputProps {
  readonly executionId: string;
  readonly slug: string;
}

/** An output view that starts lower on the screen is scrolled into view. */
const MAX_TOP_SHARE = 0.65;

/** The state, pending approval and output of the run that was just started. */
export function RunOutput({ executionId, slug }: RunOutputProps) {
  const { data } = useQuery(
    read('showExecution', { parameters: { id: executionId }, query: { without: 'result' } }),
  );
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const view = section.current;
    // A view that is already in sight stays in place.
    if (view !== null && view.getBoundingClientRect().top > window.innerHeight * MAX_TOP_SHARE)
      view.scrollIntoView();
  }, []);
  const cancel = useAction('cancelExecution', { changes: ['showExecution'] });
  return (
    <section ref={section} aria-label={`Current run of ${slug}`} className="flex scroll-mt-14 flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4">
        <div className="flex flex-wrap items-center gap-x-4">
          {data && <StateMark state={data.status} />}
          {data && (
            <span className="text-soft">
              <Took execution={data} />
            </span>
          )}
        </div>
        <div className="flex items-center gap-2">
          {data && !hasEnded(data.status) && (
            <Button
              kind="plain"
              onClick={() => cancel.mutate({ parameters: { id: executionId } })}
              isPending={cancel.isPending}
            >
              Cancel run
            </Button>
          )}
          <Link
            to="/executions/$id"
            params={{ id: executionId }}
            className="px-1 text-accent hover:underline"
          >
            Open execution
          </Link>
        </div>
      </div>
      {data?.status === 'pending_approval' ? (
        <PendingApprovalOf executionId={executionId} endpoint={slug} />
      ) : (
        <div className="h-[min(60vh,32rem)] min-h-72">
          <ExecutionOutput executionId={executionId} slug={slug} />
        </div>
      )}
    </section>
  );
}
