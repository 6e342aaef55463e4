import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Problem } from '../design/list/Problem.tsx';
import { Page } from '../design/Page.tsx';
import { useFirstRun } from '../first-run/use-first-run.ts';
import { PageLoading } from '../shell/PageLoading.tsx';
import { Agents } from './Agents.tsx';
import { Day } from './Day.tsx';
import { NOW, useNowIsRead } from './now-reads.ts';
import { Quota } from './Quota.tsx';
import { RecentFailures } from './RecentFailures.tsx';
import { RecentSuccesses } from './RecentSuccesses.tsx';
import { Running } from './Running.tsx';
import { PendingApprovals } from './Waiting.tsx';

/** Shown once per workspace, so it is loaded on demand. */
const FirstRun = lazy(async () => ({ default: (await import('../first-run/FirstRun.tsx')).FirstRun }));

/** Pending approvals, running executions, recent results and agents, the most urgent first. */
export function NowPage() {
  const firstRun = useFirstRun();
  const { data: running, error, refetch } = useQuery(NOW.running);
  const isRead = useNowIsRead();
  if (firstRun.isUnknown || !isRead) return <PageLoading />;
  if (firstRun.isOpen)
    return (
      <Suspense fallback={<PageLoading />}>
        <FirstRun state={firstRun} />
      </Suspense>
    );
  return (
    <Page title="Now">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <PendingApprovals />
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Running executions={running?.items} />
          <RecentFailures />
          <RecentSuccesses />
        </div>
        <aside className="flex flex-col gap-6">
          <Day />
          <Agents />
          <Quota />
        </aside>
      </div>
    </Page>
  );
}
