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

/** What an execution printed, or what its transform made of it. */
export function ExecutionOutput({ executionId, slug, linked, onLink }: ExecutionOutputProps) {
  const stream = useExecutionStream(executionId);
  const download = useDownload(`/executions/${executionId}/output`, `${slug}-${executionId}.txt`);
  const { transformed, end } = stream.result;
  useEndTold(executionId, end !== undefined);
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

/** The stream ends at once, news of it may come later: the facts above are not to say "running" until then. */
function useEndTold(executionId: string, isOver: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOver) return;
    const about = client.getQueriesData<ShownExecution>({ queryKey: ['showExecution'] });
    for (const [queryKey, known] of about)
      if (known?.execution_id === executionId && !hasEnded(known.status))
        void client.invalidateQueries({ queryKey });
  }, [client, executionId, isOver]);
}
