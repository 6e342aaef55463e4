import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api/read.ts';
import { PANEL_LIST } from '../../design/classes.ts';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { STATES, TONE_CLASS } from '../../design/state/states.ts';
import { Time } from '../../design/time/Time.tsx';
import { duration } from '../../design/time/time-words.ts';
import { ExecutionListRow } from '../../execution/list/ExecutionListRow.tsx';
import type { WireExecution } from '../../execution/wire-execution.ts';
import { stripMarks } from './history-strip.ts';

const SHOWN = 100;
const LISTED = 20;

/** The last executions of an endpoint. */
export function HistoryTab({ slug }: { readonly slug: string }) {
  const { data, error, refetch } = useQuery(
    read('listExecutions', { query: { endpoint: slug, limit: SHOWN } }),
  );
  if (data === undefined)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the history" />;
  if (data.items.length === 0)
    return (
      <Empty title="No executions yet">
        <p>Run the endpoint with the form above, or call its URL.</p>
      </Empty>
    );
  return (
    <div className="flex flex-col gap-4">
      <HistoryStrip executions={data.items} />
      <ul aria-label="Last executions" className={PANEL_LIST}>
        {data.items.slice(0, LISTED).map((execution) => (
          <li key={execution.execution_id} data-row="" className="px-4 hover:bg-accent-wash">
            <ExecutionListRow execution={execution} hidesEndpoint />
          </li>
        ))}
      </ul>
      <Link to="/executions" search={{ endpoint: slug }} className="self-start text-accent hover:underline">
        All executions of {slug}
      </Link>
    </div>
  );
}

/** The last executions as bars: colour for the state, height for the duration. The list below has the same data in words. */
function HistoryStrip({ executions }: { readonly executions: readonly WireExecution[] }) {
  const marks = stripMarks(executions);
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return null;
  const longest = Math.max(...marks.map(({ durationMs }) => durationMs ?? 0));
  return (
    <figure className="flex flex-col gap-1">
      <div aria-hidden className="flex h-16 items-end gap-px border-b border-line">
        {marks.map(({ id, status, height, durationMs }) => {
          const { word, tone } = STATES[status];
          return (
            <Link
              key={id}
              to="/executions/$id"
              params={{ id }}
              tabIndex={-1}
              title={durationMs === undefined ? word : `${word}, ${duration(durationMs)}`}
              className={`flex h-full min-w-px max-w-3 flex-1 items-end ${TONE_CLASS[tone]} hover:opacity-70`}
            >
              <span className="w-full bg-current" style={{ height: `${height * 100}%` }} />
            </Link>
          );
        })}
      </div>
      <figcaption className="flex flex-wrap gap-x-4 text-sm text-soft">
        <span>{marks.length === 1 ? '1 execution' : `${marks.length} executions`}</span>
        <span>
          oldest <Time at={first.createdAt} />
        </span>
        <span>
          newest <Time at={last.createdAt} />
        </span>
        <span>longest {duration(longest)}</span>
      </figcaption>
    </figure>
  );
}
