import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Meter } from '../design/Meter.tsx';
import { Page, Section } from '../design/Page.tsx';
import { Time } from '../design/time/Time.tsx';
import { PlanChoice } from './PlanChoice.tsx';
import { PlanTable } from './PlanTable.tsx';

/** What the workspace uses of its plan in this month, and what other plans allow (reference 8, decision 46). */
export function UsagePage() {
  return (
    <Page
      title="Usage and plan"
      about="Months are counted in UTC. Manual, scheduled and piped executions count alike."
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
      title={`Used in ${period}`}
      aside={
        <>
          begins anew <Time at={resets_at} />
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
        <Meter label="Endpoints with a schedule" used={schedules.used} limit={schedules.limit ?? undefined} />
        <Meter label="Seats, invitations among them" used={seats.used} limit={seats.limit ?? undefined} />
      </div>
    </Section>
  );
}
