import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useMay } from '../account/account.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { executionBody } from '../endpoint/run/run-values.ts';
import { sampleValues } from './sample-values.ts';

const ExecutionOutput = lazyPart(
  async () => (await import('../execution/ExecutionOutput.tsx')).ExecutionOutput,
);

/** Runs an endpoint with sample values and shows its output. */
export function RunStep() {
  const { data } = useQuery(read('listEndpoints', { query: { limit: 100 } }));
  const [slug, setSlug] = useState<string>();
  const allowed = useMay('endpoint.execute');
  const run = useAction('startExecution', { changes: ['listExecutions'] });
  const endpoints = data?.items ?? [];
  const chosen = endpoints.find((one) => one.slug === slug) ?? endpoints[0];
  if (chosen === undefined) {
    return <p className="text-soft">Connect an agent to run its endpoints here.</p>;
  }
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        {endpoints.length > 1 && (
          <Select
            label="Endpoint"
            options={endpoints.map(({ slug: value }) => ({ value, label: value }))}
            value={chosen.slug}
            onChange={setSlug}
          />
        )}
        <Button
          kind="primary"
          why={allowed.ok ? undefined : allowed.reason}
          isPending={run.isPending}
          onClick={() => run.mutate({ body: executionBody(chosen.slug, sampleValues(chosen)) })}
        >
          Run {chosen.slug}
        </Button>
      </div>
      <p className="text-sm text-soft">{chosen.description}</p>
      {run.data && (
        <div className="h-72">
          <Suspense fallback={<Loading what="the output" />}>
            <ExecutionOutput
              key={run.data.execution_id}
              executionId={run.data.execution_id}
              slug={chosen.slug}
            />
          </Suspense>
        </div>
      )}
    </>
  );
}
