import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Item, readPages } from '../../api/read.ts';
import { QueryList } from '../../design/list/QueryList.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Elapsed, Time } from '../../design/time/Time.tsx';
import { RUN_TRIGGER_WORDS, shownRunState } from './run-words.ts';

/** The runs of one pipeline or of all, the newest first. */
export function Runs({ pipeline }: { readonly pipeline?: string }) {
  const query = useInfiniteQuery(
    readPages('listPipelineRuns', { query: pipeline === undefined ? {} : { pipeline } }),
  );
  return (
    <QueryList
      query={query}
      what="runs"
      idOf={({ run_id: id }) => id}
      row={(run) => <RunRow run={run} hidesPipeline={pipeline !== undefined} />}
      empty={<p className="text-soft">No runs yet.</p>}
    />
  );
}

/** Names the step that ended the run. The other failed steps are counted: `on_failure: continue` lets a run with them succeed. */
function failureWords(stoppedBy: string | undefined, failedSteps: number): string | undefined {
  if (stoppedBy !== undefined)
    return failedSteps > 1 ? `failed at ${stoppedBy}, ${failedSteps} steps failed` : `failed at ${stoppedBy}`;
  if (failedSteps === 0) return undefined;
  return failedSteps === 1 ? '1 step failed' : `${failedSteps} steps failed`;
}

interface RunRowProps {
  readonly run: Item<'listPipelineRuns'>;
  readonly hidesPipeline: boolean;
}

function RunRow({ run, hidesPipeline }: RunRowProps) {
  const {
    run_id: id,
    pipeline,
    status,
    trigger,
    stopped_by: stoppedBy,
    failed_steps: failedSteps,
    started_at,
    ended_at,
    created_at,
  } = run;
  return (
    <Link
      to="/pipeline-runs/$id"
      params={{ id }}
      className="-mx-4 grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-1.5 hover:bg-accent-wash sm:grid-cols-[11rem_minmax(0,1fr)_6rem_6rem]"
    >
      <StateMark state={shownRunState(status)} />
      <span className="order-first col-span-2 flex min-w-0 flex-wrap items-baseline gap-x-3 sm:order-none sm:col-span-1">
        {!hidesPipeline && <span className="font-mono font-semibold wrap-anywhere">{pipeline}</span>}
        <span className="text-sm text-soft">{RUN_TRIGGER_WORDS[trigger]}</span>
        <span className="text-sm text-bad">{failureWords(stoppedBy, failedSteps)}</span>
      </span>
      <span className="hidden text-right text-sm text-soft sm:block">
        {started_at !== null && <Elapsed since={started_at} until={ended_at} />}
      </span>
      <span className="text-right text-sm text-soft">
        <Time at={created_at} />
      </span>
    </Link>
  );
}
