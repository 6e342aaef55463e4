import { PLANS } from '@svc/core/plan/plans';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';
import { classes } from '../design/classes.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Meter } from '../design/Meter.tsx';
import { Page, Section } from '../design/Page.tsx';
import { Time } from '../design/time/Time.tsx';
import { PlanChoice } from './PlanChoice.tsx';
import { PLAN_FACTS, planFacts } from './plan-facts.ts';

/** The usage of this month against the plan, and the limits of other plans (reference 8, decision 46, plans and quotas). */
export function UsagePage() {
  return (
    <Page
      title="Usage and plan"
      about="Usage per month, in UTC. All executions count: manual, scheduled and in pipelines."
    >
      <Used />
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

const COLUMNS = PLANS.map((plan) => ({ plan, facts: planFacts(plan) }));

/** The plans side by side; the plan of the workspace is marked. */
function PlanTable() {
  const { data } = useQuery(read('showUsage'));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard.
    <section className="overflow-x-auto" aria-label="Plan limits" tabIndex={0}>
      <table className="w-full min-w-xl text-sm">
        <thead>
          <tr className="text-left">
            <th scope="col" className="sticky left-0 bg-paper py-2 pr-3 font-normal text-soft">
              Per workspace
            </th>
            {PLANS.map((plan) => (
              <th
                key={plan}
                scope="col"
                className={classes('px-3 py-2', plan === data?.plan && 'bg-accent-wash')}
              >
                {plan}
                {plan === data?.plan && <span className="font-normal text-soft"> · current</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PLAN_FACTS.map(({ label }, row) => (
            <tr key={label} className="border-t border-line">
              <th scope="row" className="sticky left-0 bg-paper py-1.5 pr-3 text-left font-normal text-soft">
                {label}
              </th>
              {COLUMNS.map(({ plan, facts }) => (
                <td key={plan} className={classes('px-3 py-1.5', plan === data?.plan && 'bg-accent-wash')}>
                  {facts[row]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
