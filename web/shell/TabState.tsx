import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { setTitleActivity } from '../design/page-title.ts';
import failedIcon from '../icon-failed.svg';
import runningIcon from '../icon-running.svg';
import { NOW } from '../now/now-reads.ts';
import { activityWords, idsOf, newFailures } from './tab-activity.ts';

/** A hidden tab has no live stream. */
const HIDDEN_POLL_MS = 30_000;
const NOTHING = { items: [], next_cursor: null };

/** Shows in the title and the icon of the browser tab what runs, and what failed while the tab was hidden. */
export function TabState() {
  const { isHidden, known } = useKnownFailures();
  const poll = { refetchInterval: isHidden && HIDDEN_POLL_MS, refetchIntervalInBackground: true } as const;
  const { data: running } = useQuery({ ...NOW.running, ...poll });
  const { data: failed } = useQuery({ ...NOW.failed, ...poll, enabled: isHidden });
  const failedCount = newFailures(failed?.items ?? [], known);
  const words = activityWords(running ?? NOTHING, failedCount);
  const icon = failedCount > 0 ? failedIcon : words !== '' ? runningIcon : undefined;
  useEffect(() => {
    setTitleActivity(words);
    showIcon(icon);
  }, [words, icon]);
  return null;
}

/** The failures when the tab was hidden, by execution id; undefined: it is visible, or they are not read yet. */
function useKnownFailures() {
  const [isHidden, setIsHidden] = useState(document.hidden);
  const [known, setKnown] = useState<ReadonlySet<string>>();
  useEffect(() => {
    const update = () => {
      setIsHidden(document.hidden);
      setKnown(undefined);
    };
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  useEffect(() => {
    if (!isHidden) return;
    let isCurrent = true;
    const remember = async () => {
      const { items } = await queryClient.fetchQuery({ ...NOW.failed, staleTime: 0 });
      if (isCurrent) setKnown(idsOf(items));
    };
    // Without them nothing is counted until the tab is hidden again.
    remember().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [isHidden]);
  return { isHidden, known };
}

let plainIcon: string | undefined;

/** @param path undefined: the icon of the page as it was loaded */
function showIcon(path: string | undefined): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (link === null) return;
  plainIcon ??= link.getAttribute('href') ?? '';
  link.setAttribute('href', path ?? plainIcon);
}
