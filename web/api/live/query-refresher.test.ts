import { expect, test } from 'bun:test';
import type { LiveEventMessage } from '@svc/core/api/contract/live-event-message';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { QueryRefresher } from './query-refresher.ts';

const CHANGE: LiveEventMessage = {
  type: 'execution',
  execution_id: '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22',
  endpoint: 'deploy',
  status: 'running',
  trigger: 'call',
};

/** A query whose reads the test answers one by one. */
function slowQuery() {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const began = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let reads = 0;
  const options = {
    queryKey: ['listExecutions', 'one'],
    queryFn: () => {
      const read = reads++;
      began[read]?.resolve();
      return answers[read]?.promise ?? 'one read too many';
    },
  };
  return { queries, options, began, answers, refresher: new QueryRefresher(queries) };
}

test('reads again what changed while a component waited for its first read', async () => {
  const { queries, options, began, answers, refresher } = slowQuery();
  const shown = Promise.withResolvers<void>();
  const unsubscribe = new QueryObserver(queries, options).subscribe(({ data }) => {
    if (data === 'after') shown.resolve();
  });
  refresher.onEvent(CHANGE);
  answers[0]?.resolve('before');
  await began[1]?.promise;
  answers[1]?.resolve('after');
  await shown.promise;
  unsubscribe();
});

test('reads again what changed while it was read ahead, as soon as a component shows it', async () => {
  const { queries, options, began, answers, refresher } = slowQuery();
  const ahead = queries.prefetchQuery(options);
  refresher.onEvent(CHANGE);
  answers[0]?.resolve('before');
  await ahead;
  const unsubscribe = new QueryObserver(queries, options).subscribe(() => undefined);
  await began[1]?.promise;
  unsubscribe();
});

test('leaves alone what the change is not about', async () => {
  const { queries, options, answers, refresher } = slowQuery();
  const other = { ...options, queryKey: ['listSecrets', 'one'] };
  const ahead = queries.prefetchQuery(other);
  refresher.onEvent(CHANGE);
  answers[0]?.resolve('before');
  await ahead;
  expect(queries.getQueryState(other.queryKey)?.isInvalidated).toBe(false);
});

test('a slow read delays only itself: it goes on, and other data is read again meanwhile', async () => {
  const { queries, options, began, answers, refresher } = slowQuery();
  queries.setQueryData(options.queryKey, 'at first');
  const shown = Promise.withResolvers<void>();
  const leaveSlow = new QueryObserver(queries, options).subscribe(({ data }) => {
    if (data === 'after') shown.resolve();
  });
  let quickReads = 0;
  const twice = Promise.withResolvers<void>();
  const quick = {
    queryKey: ['listAgents', 'one'],
    queryFn: () => {
      quickReads += 1;
      if (quickReads === 3) twice.resolve();
      return quickReads;
    },
  };
  const leaveQuick = new QueryObserver(queries, quick).subscribe(() => undefined);
  await queries.ensureQueryData(quick);
  refresher.onEvent(CHANGE);
  await began[0]?.promise;
  refresher.onEvent(CHANGE);
  await twice.promise;
  answers[0]?.resolve('before');
  await began[1]?.promise;
  answers[1]?.resolve('after');
  await shown.promise;
  leaveSlow();
  leaveQuick();
});
