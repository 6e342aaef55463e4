import { ApiError } from '@svc/core/api/client/api-error';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import { lazyPart } from '../../api/live/load-part.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { NO_PROBLEMS, problemsOf } from './check-call.ts';
import { RunForm } from './RunForm.tsx';
import { earlierValues, executionBody, type RunFiles, type RunValues } from './run-values.ts';
import { uploadFiles } from './upload-files.ts';
import type { KeptValues } from './use-run-draft.ts';

const RunOutput = lazyPart(async () => (await import('./RunOutput.tsx')).RunOutput);

interface RunPanelProps {
  readonly endpoint: WireEndpoint;
  readonly kept: KeptValues;
}

/** The run form and the output of the started run. The run is in the address, so a reload shows it again. */
export function RunPanel({ endpoint, kept }: RunPanelProps) {
  const { values, change: onValues } = kept;
  const { run } = useSearch({ from: '/endpoints/$name' });
  const navigate = useNavigate();
  const client = useQueryClient();
  const allowed = useMay('endpoint.execute');
  useEarlierValues(endpoint, kept);
  const [files, setFiles] = useState<RunFiles>(new Map());
  const [uploaded, setUploaded] = useState(0);
  const upload = useRef<AbortController>(undefined);
  const { slug } = endpoint;
  const start = useMutation({
    mutationFn: (given: RunValues) => {
      if (files.size === 0) return api.startExecution({ body: executionBody(slug, given) });
      setUploaded(0);
      upload.current = new AbortController();
      const { signal } = upload.current;
      return uploadFiles({ slug, values: given, files }, { onProgress: setUploaded, signal });
    },
    onSuccess: ({ execution_id: id }) => {
      kept.forget();
      void client.invalidateQueries({ queryKey: ['listExecutions'] });
      void navigate({
        to: '/endpoints/$name',
        params: { name: endpoint.slug },
        search: ({ again: _used, ...before }) => ({ ...before, run: id }),
        replace: true,
        resetScroll: false,
      });
    },
  });
  // A run that is starting stays visible.
  const forgetRefusal = () => start.isError && start.reset();
  useEffect(() => () => upload.current?.abort(), []);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3 rounded bg-raised p-4">
        {kept.areRestored && (
          <p role="status" className="flex flex-wrap items-center gap-x-3 rounded bg-waiting-wash px-3 py-1">
            These values are from your last visit.
            <Button kind="plain" onClick={kept.clear}>
              Clear values
            </Button>
          </p>
        )}
        <RunForm
          endpoint={endpoint}
          values={values}
          onValues={(next) => {
            forgetRefusal();
            onValues(next);
          }}
          files={files}
          onFiles={(next) => {
            forgetRefusal();
            setFiles(next);
          }}
          onRun={(given) => start.mutate(given)}
          isPending={start.isPending}
          refused={start.error ? refusalOf(start.error) : NO_PROBLEMS}
          why={allowed.ok ? undefined : allowed.reason}
        />
      </div>
      {start.isPending && files.size > 0 && (
        <UploadBar share={uploaded} onCancel={() => upload.current?.abort()} />
      )}
      {run !== undefined && (
        <Suspense fallback={<Loading what="the output" />}>
          <RunOutput key={run} executionId={run} slug={endpoint.slug} />
        </Suspense>
      )}
    </div>
  );
}

interface UploadBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly onCancel: () => void;
}

/** How much of the files has been sent. */
function UploadBar({ share, onCancel }: UploadBarProps) {
  const percent = Math.floor(share * 100);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div
        role="progressbar"
        aria-label="Upload"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent} % uploaded`}
        className="h-2 min-w-40 flex-1 overflow-hidden rounded bg-line"
      >
        <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
      <span aria-hidden className="text-sm text-soft tabular-nums">
        {percent} % uploaded
      </span>
      <Button onClick={onCancel}>Cancel upload</Button>
    </div>
  );
}

function refusalOf(error: Error) {
  if (error instanceof ApiError) return problemsOf(error);
  return { byArgument: new Map(), others: [`The endpoint may not have started: ${error.message}.`] };
}

/** Fills the form with the values of an earlier execution, except secrets. */
function useEarlierValues(endpoint: WireEndpoint, kept: Pick<KeptValues, 'fillFrom'>): void {
  const { again } = useSearch({ from: '/endpoints/$name' });
  const { data } = useQuery({
    ...read('showExecution', { parameters: { id: again ?? '' }, query: { without: 'result' } }),
    enabled: again !== undefined,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once after the values have loaded, so that later input stays
  useEffect(() => {
    if (data !== undefined) kept.fillFrom(data.execution_id, earlierValues(endpoint.args, data.args));
  }, [data?.execution_id]);
}
