import { hasEnded } from '@svc/core/execution/state';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useDownload } from '../api/use-download.ts';
import { ResultView } from './result/ResultView.tsx';
import type { LinkedLines } from './stream/line-link.ts';
import { useExecutionStream } from './stream/use-execution-stream.ts';
import { OutputView } from './stream/view/OutputView.tsx';
import type { ShownExecution } from './wire-execution.ts';

interface ExecutionOutputProps {
  readonly executionId: string;
  readonly slug: string;
  readonly linked?: LinkedLines | undefined;
  readonly onLink?: ((lines: LinkedLines) => void) | undefined;
}

/** The output of an execution, or the result of its transform. */
export function ExecutionOutput({ executionId, slug, linked, onLink }: ExecutionOutputProps) {
  const stream = useExecutionStream(executionId);
  const { transformed, end, isRaw } = stream.result;
  const [query, ending] = isRaw ? ['?stream=stdout', 'bin'] : ['', 'txt'];
  const download = useDownload(
    `/executions/${executionId}/output${query}`,
    `${slug}-${executionId}.${ending}`,
  );
  useRefreshAtEnd(executionId, end !== undefined);
  if (transformed !== undefined) return <ResultView event={transformed} />;
  return (
    <OutputView
      stream={stream}
      onDownload={() => download.mutate()}
      isDownloading={download.isPending}
      linked={linked}
      onLink={onLink}
    />
  );
}

/** Refetches the facts of the execution when its stream ends: the live event may arrive later. */
function useRefreshAtEnd(executionId: string, isOver: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOver) return;
    const about = client.getQueriesData<ShownExecution>({ queryKey: ['showExecution'] });
    for (const [queryKey, known] of about)
      if (known?.execution_id === executionId && !hasEnded(known.status))
        void client.invalidateQueries({ queryKey });
  }, [client, executionId, isOver]);
}
