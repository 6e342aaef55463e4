import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api/read.ts';
import { classes, PANEL_LIST } from '../../design/classes.ts';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Time } from '../../design/time/Time.tsx';
import { Took } from '../Took.tsx';
import type { ShownExecution } from '../wire-execution.ts';

const SHOWN = 12;

/** The last executions of the same endpoint, to compare this one with; nothing while it is the only one. */
export function LastExecutions({ execution }: { readonly execution: ShownExecution }) {
  const { endpoint } = execution;
  const { data } = useQuery(read('listExecutions', { query: { endpoint, limit: SHOWN } }));
  const items = data?.items ?? [];
  if (items.length < 2) return null;
  return (
    <section aria-label={`Last executions of ${endpoint}`} className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">Last executions</h2>
      <ul className={PANEL_LIST}>
        {items.map((one) => {
          const isCurrent = one.execution_id === execution.execution_id;
          return (
            <li key={one.execution_id} data-row="">
              <Link
                to="/executions/$id"
                params={{ id: one.execution_id }}
                aria-current={isCurrent ? 'page' : undefined}
                className={classes(
                  'grid min-h-9 grid-cols-[minmax(0,1fr)_auto_6rem] items-center gap-x-4 px-4 hover:bg-accent-wash',
                  isCurrent && 'font-semibold',
                )}
              >
                <StateMark state={one.status} />
                <span className="text-right text-sm text-soft">
                  <Took execution={one} />
                </span>
                <span className="text-right text-sm text-soft">
                  <Time at={one.created_at} />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      <Link to="/executions" search={{ endpoint }} className="self-start text-sm text-accent hover:underline">
        All executions of {endpoint}
      </Link>
    </section>
  );
}
