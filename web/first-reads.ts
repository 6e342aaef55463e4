import type { ClientRoute } from '@svc/core/api/client/api-call';
import { type ApiClient, addressOf, type RouteLine } from '@svc/core/api/client/client-of';
import { type FirstReads, LAST } from './begun-requests.ts';

type Call<Name extends ClientRoute> = [name: Name, ...Parameters<ApiClient[Name]>];

/** The number of pending approvals on Now. */
export const MAX_PENDING = 6;

/** The states of executions that went wrong. */
export const FAILED_STATES = ['failed', 'timed_out', 'lost', 'missed'] as const;

/** The newest failures that Now reads; it groups them by endpoint. */
export const MAX_FAILED = 50;

/** The last successes of Now on a large screen; another one shows half of them. */
const MAX_DONE = 12;

/** Executions that one request of the list reads. */
export const LIST_PAGE = 100;

/** The requests of Now, as arguments of `read`. */
export const NOW_CALLS = {
  firstRun: call('listExecutions', { query: { limit: 1 } }),
  waiting: call('listApprovals', { query: { status: 'pending_approval', limit: MAX_PENDING } }),
  running: call('listExecutions', { query: { status: ['running'], limit: 20 } }),
  failed: call('listExecutions', {
    query: { status: [...FAILED_STATES], limit: MAX_FAILED },
  }),
  done: call('listExecutions', { query: { status: ['succeeded', 'cancelled'], limit: MAX_DONE } }),
  day: call('countExecutions'),
  agents: call('listAgents', { query: { limit: 30 } }),
  usage: call('showUsage'),
} as const;

/** The requests of the frame around every page. */
const FRAME_CALLS = [call('showWorkspace'), call('countWaiting'), NOW_CALLS.running] as const;

/**
 * The first requests of pages, by the path of their route. Only requests that follow from the path; a page with a query, such as
 * filters, may need others.
 */
const PAGE_CALLS = {
  '/': Object.values(NOW_CALLS),
  '/executions': [call('listExecutions', { query: { limit: LIST_PAGE } })],
  '/executions/$': [
    call('showExecution', { parameters: { id: LAST }, query: { without: 'result' } }),
    call('showExecutedDefinition', { parameters: { id: LAST } }),
    call('listArtifacts', { parameters: { id: LAST } }),
  ],
  // The forms ask for what they need.
  '/endpoints/new': [],
  '/pipelines/new': [],
  '/endpoints/$': [call('showEndpoint', { parameters: { name: LAST } })],
  '/pipelines/$': [call('showPipeline', { parameters: { slug: LAST } })],
  '/pipeline-runs/$': [call('showPipelineRun', { parameters: { id: LAST } })],
} as const;

/** The same for a browser that shows the column of arguments, where that makes a difference. */
const PAGE_CALLS_WITH_ARGUMENTS = {
  '/executions': [call('listExecutions', { query: { with: 'args', limit: LIST_PAGE } })],
} as const;

/** The addresses of the first requests, for `start.ts`; computed at build time. */
export function firstReadsOf(lines: Readonly<Record<string, RouteLine>>): FirstReads {
  const addresses = (calls: readonly (readonly [ClientRoute, unknown?])[]) =>
    calls.map(([name, given]) => {
      const line = lines[name];
      if (line?.method !== 'GET') throw new Error(`${name} is not a read`);
      return addressOf(line, given as Parameters<typeof addressOf>[1]);
    });
  const frame = addresses(FRAME_CALLS);
  const byView = (pages: Readonly<Record<string, Parameters<typeof addresses>[0]>>) =>
    Object.fromEntries(
      Object.entries(pages).map(([view, calls]) => [
        view,
        addresses(calls).filter((address) => !frame.includes(address)),
      ]),
    );
  return { frame, pages: byView(PAGE_CALLS), pagesWithArguments: byView(PAGE_CALLS_WITH_ARGUMENTS) };
}

function call<Name extends ClientRoute>(name: Name, ...given: Parameters<ApiClient[Name]>): Call<Name> {
  return [name, ...given];
}
