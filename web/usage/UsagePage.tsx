import { PLANS } from '@svc/core/plan/plans';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';
import { classes } from '../design/classes.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Meter } from '../design/Meter.tsx';
import { Page, Section } from '../design/Page.tsx';
import { grouped } from '../design/text/grouped.ts';
import { Time } from '../design/time/Time.tsx';
import { PAGE_HEADS } from '../page-heads.ts';
import { PlanChoice } from './PlanChoice.tsx';
import { PLAN_FACTS, planFacts } from './plan-facts.ts';

/** The usage of this month against the plan, and the limits of other plans (reference 8, decision 46, plans and quotas). */
export function UsagePage() {
  return (
    <Page {...PAGE_HEADS['/usage']}>
      <Used />
      <Months />
      <Section title="Plans">
        <PlanTable />
      </Section>
      <PlanChoice />
    </Page>
  );
}

function Used() {
  const usage = useQuery(read('showUsage'));
  const hosted = useQuery(read('showHostedUsage'));
  const error = usage.error ?? hosted.error;
  if (error)
    return <Problem error={error} onRetry={() => void Promise.all([usage.refetch(), hosted.refetch()])} />;
  if (usage.data === undefined || hosted.data === undefined) return <Loading what="usage" />;
  const { executions, seats, schedules, period, resets_at } = usage.data;
  return (
    <Section
      title={`Usage in ${period}`}
      aside={
        <>
          resets <Time at={resets_at} />
        </>
      }
    >
      <div className="grid gap-x-12 gap-y-4 py-2 sm:grid-cols-2">
        <Meter label="Executions" used={executions.used} limit={executions.limit ?? undefined} />
        <Meter label="Hosted executions" used={hosted.data.used} limit={hosted.data.limit} />
        <Meter
          label="Hosted, running now"
          used={hosted.data.concurrent.running}
          limit={hosted.data.concurrent.limit}
        />
        <Meter label="Schedules" used={schedules.used} limit={schedules.limit ?? undefined} />
        <Meter label="Seats (incl. invitations)" used={seats.used} limit={seats.limit ?? undefined} />
      </div>
    </Section>
  );
}

/** The executions of each month as a bar, the newest month first. */
function Months() {
  const { data } = useQuery(read('showUsage'));
  if (data === undefined || data.months.length === 0) return null;
  const most = Math.max(...data.months.map(({ executions }) => executions), 1);
  return (
    <Section title="Months with executions">
      <ul
        aria-label="Executions per month"
        className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 rounded bg-raised px-4 py-2"
      >
        {data.months.map(({ period, executions, hosted }) => (
          <li key={period} className="col-span-full grid grid-cols-subgrid items-center">
            <span className="text-soft">{period}</span>
            <span aria-hidden="true" className="h-2 rounded bg-sunken">
              <span
                className="block h-full rounded bg-running"
                style={{ width: `${(executions / most) * 100}%` }}
              />
            </span>
            <span className="text-right">
              {grouped(executions)} {executions === 1 ? 'execution' : 'executions'}
              {hosted > 0 && <span className="text-soft">, {grouped(hosted)} hosted</span>}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const COLUMNS = PLANS.map((plan) => ({ plan, facts: planFacts(plan) }));

/** On a phone the name of a limit has a line of its own, above its value in each plan. */
const ROW = 'max-sm:grid max-sm:grid-cols-4';
const CELL = 'min-w-0 py-1.5 wrap-anywhere max-sm:px-1 sm:px-3';

/** The plans side by side; the plan of the workspace is marked. */
function PlanTable() {
  const { data } = useQuery(read('showUsage'));
  return (
    <div className="rounded bg-raised px-4 py-2">
      <table className="w-full text-sm max-sm:block sm:table-fixed" aria-label="Plan limits">
        <thead className="max-sm:block">
          <tr className={classes(ROW, 'text-left')}>
            <th scope="col" className="py-2 pr-3 font-normal text-soft max-sm:sr-only">
              Per workspace
            </th>
            {PLANS.map((plan) => (
              <th
                key={plan}
                scope="col"
                className={classes(CELL, 'sm:py-2', plan === data?.plan && 'bg-accent-wash')}
              >
                {plan}
                {plan === data?.plan && (
                  <span className="font-normal text-soft">
                    <span className="max-sm:hidden"> · </span>
                    <span className="max-sm:block">current</span>
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {PLAN_FACTS.map(({ label }, row) => (
            <tr key={label} className={ROW}>
              <th
                scope="row"
                className="py-1.5 pr-3 text-left font-normal text-soft max-sm:col-span-full max-sm:pb-0"
              >
                {label}
              </th>
              {COLUMNS.map(({ plan, facts }) => (
                <td key={plan} className={classes(CELL, plan === data?.plan && 'bg-accent-wash')}>
                  {facts[row]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
