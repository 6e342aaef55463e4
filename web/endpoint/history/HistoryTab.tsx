import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api/read.ts';
import { PANEL_LIST } from '../../design/classes.ts';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { ExecutionListRow } from '../../execution/list/ExecutionListRow.tsx';
import { HistoryStrip } from './HistoryStrip.tsx';

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
          <li key={execution.execution_id} data-row="" className="px-3">
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
