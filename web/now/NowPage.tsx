import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyHeavyPart } from '../api/live/load-part.ts';
import { classes } from '../design/classes.ts';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Meter } from '../design/Meter.tsx';
import { Page, Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { useFirstRun } from '../first-run/use-first-run.ts';
import { PageLoading } from '../shell/PageLoading.tsx';
import { Day } from './Day.tsx';
import { NOW, type NowSection, useReadSections } from './now-reads.ts';
import { PendingApprovals } from './PendingApprovals.tsx';
import { RecentFailures } from './RecentFailures.tsx';
import { RecentSuccesses } from './RecentSuccesses.tsx';
import { Running } from './Running.tsx';

/** Shown once per workspace, so it is loaded on demand. */
const FirstRun = lazyHeavyPart(async () => (await import('../first-run/FirstRun.tsx')).FirstRun);

/** Pending approvals, running executions, recent results and agents, the most urgent first. */
export function NowPage() {
  const firstRun = useFirstRun();
  const { data: running, error, refetch } = useQuery(NOW.running);
  const { data: waiting } = useQuery(NOW.waiting);
  const read = useReadSections();
  if (firstRun.isUnknown || read.size === 0) return <PageLoading />;
  if (firstRun.isOpen)
    return (
      <Suspense fallback={<PageLoading />}>
        <FirstRun state={firstRun} />
      </Suspense>
    );
  return (
    <Page title="Now">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_16rem] lg:grid-rows-[auto_1fr]">
        {/* One place in the tree for any number of them, so that another call leaves the focus where it is. */}
        <PendingApprovals />
        <div className="flex min-w-0 flex-col gap-6">
          {read.has('running') && <Running running={running} />}
          {read.has('failed') && <RecentFailures />}
          {read.has('done') && <RecentSuccesses />}
        </div>
        <aside
          className={classes(
            'flex flex-col gap-6',
            // Beside the single approval and what runs.
            waiting?.items.length === 1 && 'lg:col-start-2 lg:row-span-2 lg:row-start-1',
          )}
        >
          {read.has('day') && <Day />}
          {read.has('agents') && <Agents />}
          {read.has('usage') && <Quota />}
        </aside>
      </div>
      {!read.has(LAST) && <Loading key={read.size} what="the rest of the page" rows={1} />}
    </Page>
  );
}

const LAST: NowSection = 'usage';

/** The used part of the monthly quota. */
function Quota() {
  const { data } = useQuery(NOW.usage);
  return (
    <Section title="This month" aside={data && `${data.plan} plan`}>
      {data && (
        <Meter label="Executions" used={data.executions.used} limit={data.executions.limit ?? undefined} />
      )}
    </Section>
  );
}

/** The agents with their state and running executions. */
function Agents() {
  const { data } = useQuery(NOW.agents);
  return (
    <Section
      title="Agents"
      aside={data && countWords(data.items.filter(({ status }) => status === 'online').length)}
    >
      {data === undefined && <Loading what="agents" rows={1} />}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 lg:flex-col">
        {data?.items.map(({ name, id, status, running, host }) => (
          <li
            key={id}
            className="flex items-center gap-2"
            title={`${host.hostname}, ${host.os} ${host.arch}`}
          >
            <StateMark state={status} isCompact={status === 'online'} />
            <span className="truncate">{name}</span>
            {running > 0 && <span className="text-sm text-soft">{running} running</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function countWords(online: number): string {
  return `${online} online`;
}
