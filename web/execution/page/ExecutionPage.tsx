import { ApiError } from '@svc/core/api/client/api-error';
import { hasEnded } from '@svc/core/execution/state';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { read } from '../../api/read.ts';
import { PendingApprovalOf } from '../../approval/PendingApproval.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Page } from '../../design/Page.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { useMedia } from '../../design/use-media.ts';
import { ExecutionOutput } from '../ExecutionOutput.tsx';
import { whyWords } from '../list/execution-words.ts';
import { lineLink, readLineLink } from '../stream/line-link.ts';
import type { ShownExecution } from '../wire-execution.ts';
import { CalledCommand } from './CalledCommand.tsx';
import { ExecutionActions } from './ExecutionActions.tsx';
import { ExecutionFacts } from './ExecutionFacts.tsx';
import { ExecutionFiles } from './ExecutionFiles.tsx';
import { LastExecutions } from './LastExecutions.tsx';

/** One execution: facts, command and output. */
export function ExecutionPage() {
  const { id } = useParams({ from: '/executions/$id' });
  const { data, error, refetch } = useQuery(
    read('showExecution', { parameters: { id }, query: { without: 'result' } }),
  );
  // The command and the files are read together with the facts and shown with them, because their lines would move the output.
  const command = useQuery(read('showExecutedDefinition', { parameters: { id } }));
  const files = useQuery(read('listArtifacts', { parameters: { id } }));
  if (data !== undefined && !command.isPending && !files.isPending)
    return <Shown key={id} execution={data} />;
  return (
    <Page title="Execution">
      {isNotFound(error) ? (
        <GoneExecution />
      ) : (
        error && <Problem error={error} onRetry={() => void refetch()} />
      )}
      {!error && <Loading what="the execution" />}
    </Page>
  );
}

function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

function GoneExecution() {
  return (
    <Empty title="This execution does not exist or was deleted after the retention period.">
      <Link to="/executions" className="text-accent underline">
        All executions
      </Link>
    </Empty>
  );
}

/** Where the facts stand beside the output: Tailwind's `2xl`. */
const WIDE = '(min-width: 96rem)';

function Shown({ execution }: { readonly execution: ShownExecution }) {
  const { execution_id: id, endpoint, status } = execution;
  const navigate = useNavigate();
  const linked = readLineLink(useLocation({ select: ({ hash }) => hash }));
  const why = whyWords(execution);
  const isWide = useMedia(WIDE);
  // The box of an output that grows keeps its height, and so it does at the end.
  const [wasOver] = useState(hasEnded(status));
  return (
    <Page
      title={`${endpoint}, ${status.replaceAll('_', ' ')}`}
      heading={
        <span className="flex flex-wrap items-center gap-x-4">
          <span className="font-mono">{endpoint}</span>
          <span className="text-base font-normal">
            <StateMark state={status} />
          </span>
        </span>
      }
      actions={<ExecutionActions execution={execution} />}
    >
      <div className="-mt-3 grid gap-3 2xl:mt-0 2xl:grid-cols-[minmax(0,1fr)_20rem] 2xl:grid-rows-[auto_1fr] 2xl:gap-x-8">
        <div className="flex min-w-0 flex-col gap-6 2xl:col-start-2 2xl:row-span-2 2xl:row-start-1">
          <ExecutionFacts execution={execution} />
          {isWide && <LastExecutions execution={execution} />}
        </div>
        <div className="flex min-w-0 flex-col gap-3 2xl:col-start-1">
          <div className="max-h-40 overflow-y-auto rounded bg-raised px-4 py-2">
            <CalledCommand execution={execution} />
          </div>
          <ExecutionFiles execution={execution} />
          {why !== undefined && <p className="wrap-anywhere">No result: {why}.</p>}
        </div>
        <div className="mt-3 min-w-0 2xl:col-start-1 2xl:mt-0">
          {status === 'pending_approval' ? (
            <PendingApprovalOf executionId={id} endpoint={endpoint} />
          ) : (
            <div className="h-[max(24rem,calc(100dvh-18rem))] 2xl:h-[max(24rem,calc(100dvh-12rem))]">
              <ExecutionOutput
                executionId={id}
                slug={endpoint}
                isFitted={wasOver}
                linked={linked}
                onLink={(lines) =>
                  void navigate({
                    to: '/executions/$id',
                    params: { id },
                    hash: lineLink(lines),
                    replace: true,
                    resetScroll: false,
                    hashScrollIntoView: false,
                  })
                }
              />
            </div>
          )}
        </div>
      </div>
    </Page>
  );
}
