import { STATS_BUCKETS } from '@svc/core/execution/execution-stats';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../design/Button.tsx';
import { MomentField } from '../../design/form/MomentField.tsx';
import { PickOne } from '../../design/form/PickOne.tsx';
import { X } from '../../design/icons.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { useNow } from '../../design/time/now.ts';
import {
  type ExecutionSearch,
  RANGES,
  readExecutionSearch,
  type TimeRange,
} from '../list/execution-search.ts';
import { chartData, chartWords, pickedWords } from './chart-data.ts';

const Charts = lazyPart(async () => (await import('./Charts.tsx')).Charts);

/**
 * The list below changes at once; its figures may follow a moment later. Longer than the pause after which the browser loads further pages
 * ahead (`whenQuiet`).
 */
const POLL_MS = 10_000;

const OPTIONS = [
  { value: '', label: 'Any time' },
  ...(Object.keys(RANGES) as TimeRange[]).map((value) => ({ value, label: RANGES[value].label })),
] as const;

interface OverTimeProps {
  readonly search: ExecutionSearch;
  readonly onSearch: (search: ExecutionSearch) => void;
}

/** Executions over time, by state and duration, and the time that the list is filtered by: a range, or a part of it. */
export function OverTime({ search, onSearch }: OverTimeProps) {
  const { endpoint, range, from: pickedFrom, until: pickedUntil } = search;
  const { ms, bucket, label } = RANGES[range ?? 'day'];
  const nowMs = useNow(POLL_MS);
  // The hub counts whole buckets, and each other moment would be another query.
  const from = new Date(
    Math.floor((nowMs - ms) / STATS_BUCKETS[bucket]) * STATS_BUCKETS[bucket],
  ).toISOString();
  const { data, error, refetch } = useQuery({
    refetchInterval: POLL_MS,
    ...read('countExecutions', { query: { from, bucket, ...(endpoint !== undefined && { endpoint }) } }),
    placeholderData: (before) => before,
  });
  const chart = useMemo(() => data && chartData(data), [data]);
  const change = (part: Readonly<Record<string, unknown>>) =>
    onSearch(readExecutionSearch({ ...search, ...part }));
  const [isExact, setExact] = useState(false);
  const picked = pickedWords(pickedFrom, pickedUntil);
  return (
    <section aria-label="Executions over time" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          {chart && (
            <>
              Last {label}: {chartWords(data?.buckets ?? [])}.
              {countsOthers(search) && ' The other filters do not apply to the chart.'}
              {data?.partial && ' Some older executions are not counted.'}
            </>
          )}
        </p>
        <div className="flex flex-wrap items-center gap-2">
          {picked !== undefined && (
            <Button onClick={() => change({ from: undefined, until: undefined })} title="Show the whole time">
              {picked} <X className="inline size-4 align-[-3px]" />
              <span className="sr-only">, clear this time</span>
            </Button>
          )}
          <PickOne
            label="Time range"
            options={OPTIONS}
            value={range ?? ''}
            onChange={(next) => change({ range: next, from: undefined, until: undefined })}
          />
          <Button kind="plain" aria-expanded={isExact} onClick={() => setExact(!isExact)}>
            Exact time
          </Button>
        </div>
      </div>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isExact && (
        <div className="grid max-w-xl gap-3 self-end sm:grid-cols-2">
          <MomentField label="From (UTC)" value={pickedFrom} onChange={(value) => change({ from: value })} />
          <MomentField
            label="Until (UTC)"
            value={pickedUntil}
            onChange={(value) => change({ until: value })}
          />
        </div>
      )}
      <div className="min-h-[228px] rounded bg-raised px-2 py-2 md:min-h-[112px]">
        <Suspense>
          {chart && (
            <Charts
              data={chart}
              from={pickedFrom}
              until={pickedUntil}
              onPick={(picks) => change({ from: picks.from, until: picks.until })}
            />
          )}
        </Suspense>
      </div>
    </section>
  );
}

/** Whether the list leaves out executions that the hub counts: it counts by endpoint and time alone. */
function countsOthers({ status, trigger, agent, caller, arg, output }: ExecutionSearch): boolean {
  return [status, trigger, agent, caller, arg, output].some((filter) => filter !== undefined);
}
