import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import { read } from '../../api/read.ts';
import { PickOne } from '../../design/form/PickOne.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { chartData, chartWords } from './chart-data.ts';

const Charts = lazyPart(async () => (await import('./Charts.tsx')).Charts);

const HOUR_MS = 3_600_000;
const SPANS = {
  day: { label: '24 hours', ms: 24 * HOUR_MS, bucket: 'hour' },
  week: { label: '7 days', ms: 7 * 24 * HOUR_MS, bucket: 'hour' },
  month: { label: '30 days', ms: 30 * 24 * HOUR_MS, bucket: 'day' },
} as const;
type Span = keyof typeof SPANS;
const OPTIONS = (Object.keys(SPANS) as Span[]).map((value) => ({ value, label: SPANS[value].label }));

/** Executions over time, by state and duration. */
export function OverTime({ endpoint }: { readonly endpoint?: string | undefined }) {
  const [span, setSpan] = useState<Span>('day');
  const { ms, bucket } = SPANS[span];
  // One fixed moment per span: each new one would be another query.
  const from = useMemo(() => new Date(Date.now() - ms).toISOString(), [ms]);
  const { data, error, refetch } = useQuery({
    ...read('countExecutions', { query: { from, bucket, ...(endpoint !== undefined && { endpoint }) } }),
    placeholderData: (before) => before,
  });
  const chart = useMemo(() => data && chartData(data), [data]);
  return (
    <section aria-label="Executions over time" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          {chart && (
            <>
              Last {SPANS[span].label}: {chartWords(data?.buckets ?? [])}.
              {data?.partial && ' Older executions are not counted yet.'}
            </>
          )}
        </p>
        <PickOne label="Time range" options={OPTIONS} value={span} onChange={setSpan} />
      </div>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <div className="min-h-[132px]">
        <Suspense>{chart && <Charts data={chart} />}</Suspense>
      </div>
    </section>
  );
}
