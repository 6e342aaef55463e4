import { hasEnded } from '@svc/core/execution/state';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { read } from '../api/read.ts';
import { useDownload } from '../api/use-download.ts';
import { useKeptChoice } from '../design/use-kept-choice.ts';
import { ResultView } from './result/ResultView.tsx';
import type { LinkedLines } from './stream/line-link.ts';
import { useExecutionStream } from './stream/use-execution-stream.ts';
import { OutputView, type ShownTimes } from './stream/view/OutputView.tsx';
import type { ShownExecution } from './wire-execution.ts';

interface ExecutionOutputProps {
  readonly executionId: string;
  readonly slug: string;
  /** The box of a short output is only as high as its lines; for an execution that has ended. */
  readonly isFitted?: boolean;
  readonly linked?: LinkedLines | undefined;
  readonly onLink?: ((lines: LinkedLines) => void) | undefined;
}

/** The output of an execution, or the result of its transform. */
export function ExecutionOutput(props: ExecutionOutputProps) {
  const { executionId, slug, isFitted = false, linked, onLink } = props;
  const stream = useExecutionStream(executionId);
  const { transformed, end, isRaw } = stream.result;
  const [query, ending] = isRaw ? ['?stream=stdout', 'bin'] : ['', 'txt'];
  const download = useDownload(
    `/executions/${executionId}/output${query}`,
    `${slug}-${executionId}.${ending}`,
  );
  useRefreshAtEnd(executionId, end !== undefined);
  const times = useShownTimes(executionId, end !== undefined || stream.phase.kind === 'ended');
  if (transformed !== undefined) return <ResultView event={transformed} />;
  return (
    <OutputView
      stream={stream}
      slug={slug}
      url={`${location.origin}/dashboard/executions/${executionId}`}
      onDownload={() => download.mutate()}
      isDownloading={download.isPending}
      times={times}
      isFitted={isFitted}
      linked={linked}
      onLink={onLink}
    />
  );
}

/** The time stamps. They are read once they are switched on and the execution has ended. */
function useShownTimes(id: string, isOver: boolean): ShownTimes {
  const [areOn, onSwitch] = useKeptChoice('svc.output.times', false);
  const { data } = useQuery({
    ...read('showExecution', { parameters: { id }, query: { without: 'result', with: 'line_times' } }),
    enabled: areOn && isOver,
  });
  const record = useMemo(
    () =>
      data?.line_times && data.started_at !== null
        ? { startedMs: Date.parse(data.started_at), marks: data.line_times }
        : undefined,
    [data],
  );
  return { areOn, onSwitch, record, areMissing: data !== undefined && record === undefined };
}

/** Refetches the facts and the files of the execution when its stream ends: the live event may arrive later. */
function useRefreshAtEnd(executionId: string, isOver: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOver) return;
    const about = client.getQueriesData<ShownExecution>({ queryKey: ['showExecution'] });
    for (const [queryKey, known] of about)
      if (known?.execution_id === executionId && !hasEnded(known.status)) {
        void client.invalidateQueries({ queryKey });
        void client.invalidateQueries(read('listArtifacts', { parameters: { id: executionId } }));
      }
  }, [client, executionId, isOver]);
}
