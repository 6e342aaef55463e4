import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { loadPart } from './api/live/load-part.ts';
import { queryClient } from './api/query-client.ts';
import { read } from './api/read.ts';
import { readAuditSearch } from './audit/audit-search.ts';
import { PAGE_WIDTH } from './design/classes.ts';
import { Page } from './design/Page.tsx';
import { readEndpointSearch, readEndpointsSearch } from './endpoint/endpoint-search.ts';
import { filtersOf, firstPageOf, readExecutionSearch } from './execution/list/execution-search.ts';
import { storedColumns } from './execution/list/stored-columns.ts';
import { prefetchFirstRun } from './first-run/use-first-run.ts';
import { NowPage } from './now/NowPage.tsx';
import { prefetchNow } from './now/now-reads.ts';
import { all, PAGE_READS, type PagePath } from './page-reads.ts';
import { readPipelinesSearch } from './pipeline/pipelines-search.ts';
import { Frame } from './shell/Frame.tsx';
import { PageLoading } from './shell/PageLoading.tsx';
import { readTailSearch } from './tail/tail-search.ts';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

/** A page in a file of its own, loaded while the browser is idle or on the first visit. */
function lazyPage<Name extends string>(load: () => Promise<Record<Name, () => ReactNode>>, name: Name) {
  return lazyRouteComponent(() => loadPart(load), name);
}

/** The loader of a page whose data is read before it is shown. */
function loaderOf(path: PagePath) {
  return { loader: () => PAGE_READS[path]() };
}

const now = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: () => all(prefetchFirstRun, prefetchNow),
  component: NowPage,
});

const executions = createRoute({
  getParentRoute: () => root,
  path: '/executions',
  validateSearch: readExecutionSearch,
  // The data loads while the code of the page is still loading, here and below.
  async loader({ location }) {
    const search = readExecutionSearch(location.search);
    // A range ends now: the page asks for another moment.
    if (search.range !== undefined) return;
    const query = firstPageOf(filtersOf(search, 0, storedColumns().includes('args')));
    await all(() => queryClient.prefetchQuery(read('listExecutions', { query })));
  },
  component: lazyPage(() => import('./execution/list/ExecutionsPage.tsx'), 'ExecutionsPage'),
});

const live = createRoute({
  getParentRoute: () => root,
  path: '/live',
  validateSearch: readTailSearch,
  component: lazyPage(() => import('./tail/TailPage.tsx'), 'TailPage'),
});

const execution = createRoute({
  getParentRoute: () => root,
  path: '/executions/$id',
  loader({ params: { id } }) {
    const parameters = { id };
    return all(
      () => queryClient.prefetchQuery(read('showExecution', { parameters, query: { without: 'result' } })),
      () => queryClient.prefetchQuery(read('showExecutedDefinition', { parameters })),
      () => queryClient.prefetchQuery(read('listArtifacts', { parameters })),
    );
  },
  component: lazyPage(() => import('./execution/page/ExecutionPage.tsx'), 'ExecutionPage'),
});

const endpoints = createRoute({
  getParentRoute: () => root,
  path: '/endpoints',
  validateSearch: readEndpointsSearch,
  component: lazyPage(() => import('./endpoint/list/EndpointsPage.tsx'), 'EndpointsPage'),
});

const newEndpoint = createRoute({
  getParentRoute: () => root,
  path: '/endpoints/new',
  component: lazyPage(() => import('./endpoint/edit/NewEndpointPage.tsx'), 'NewEndpointPage'),
});

const endpoint = createRoute({
  getParentRoute: () => root,
  path: '/endpoints/$name',
  validateSearch: readEndpointSearch,
  loader: ({ params: { name } }) =>
    all(() => queryClient.prefetchQuery(read('showEndpoint', { parameters: { name } }))),
  component: lazyPage(() => import('./endpoint/EndpointPage.tsx'), 'EndpointPage'),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  ...loaderOf('/agents'),
  component: lazyPage(() => import('./agent/AgentsPage.tsx'), 'AgentsPage'),
});

const secrets = createRoute({
  getParentRoute: () => root,
  path: '/secrets',
  ...loaderOf('/secrets'),
  component: lazyPage(() => import('./secret/SecretsPage.tsx'), 'SecretsPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/api-keys',
  ...loaderOf('/api-keys'),
  component: lazyPage(() => import('./key/KeysPage.tsx'), 'KeysPage'),
});

const team = createRoute({
  getParentRoute: () => root,
  path: '/team',
  ...loaderOf('/team'),
  component: lazyPage(() => import('./team/TeamPage.tsx'), 'TeamPage'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  ...loaderOf('/usage'),
  component: lazyPage(() => import('./usage/UsagePage.tsx'), 'UsagePage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: readAuditSearch,
  ...loaderOf('/audit'),
  component: lazyPage(() => import('./audit/AuditPage.tsx'), 'AuditPage'),
});

const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  component: lazyPage(() => import('./outbox/OutboxPage.tsx'), 'OutboxPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  ...loaderOf('/settings'),
  component: lazyPage(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  ...loaderOf('/approvals'),
  component: lazyPage(() => import('./approval/ApprovalsPage.tsx'), 'ApprovalsPage'),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  ...loaderOf('/schedules'),
  component: lazyPage(() => import('./schedule/SchedulesPage.tsx'), 'SchedulesPage'),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  ...loaderOf('/alerts'),
  component: lazyPage(() => import('./alert/AlertsPage.tsx'), 'AlertsPage'),
});

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  ...loaderOf('/templates'),
  component: lazyPage(() => import('./template/TemplatesPage.tsx'), 'TemplatesPage'),
});

const pipelines = createRoute({
  getParentRoute: () => root,
  path: '/pipelines',
  validateSearch: readPipelinesSearch,
  ...loaderOf('/pipelines'),
  component: lazyPage(() => import('./pipeline/list/PipelinesPage.tsx'), 'PipelinesPage'),
});

const newPipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/new',
  component: lazyPage(() => import('./pipeline/edit/NewPipelinePage.tsx'), 'NewPipelinePage'),
});

const pipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/$slug',
  validateSearch: readPipelineSearch,
  loader: ({ params: { slug } }) =>
    all(() => queryClient.prefetchQuery(read('showPipeline', { parameters: { slug } }))),
  component: lazyPage(() => import('./pipeline/PipelinePage.tsx'), 'PipelinePage'),
});

const pipelineRun = createRoute({
  getParentRoute: () => root,
  path: '/pipeline-runs/$id',
  loader: ({ params: { id } }) =>
    all(() => queryClient.prefetchQuery(read('showPipelineRun', { parameters: { id } }))),
  component: lazyPage(() => import('./pipeline/run/RunPage.tsx'), 'RunPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    now,
    executions,
    live,
    execution,
    endpoints,
    newEndpoint,
    endpoint,
    agents,
    secrets,
    keys,
    team,
    usage,
    audit,
    outbox,
    settings,
    approvals,
    schedules,
    alerts,
    templates,
    pipelines,
    newPipeline,
    pipeline,
    pipelineRun,
  ]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  defaultPendingComponent: PageLoading,
  scrollRestoration: true,
});

/** The loads of all pages, for `prefetchParts`. */
export const PAGE_LOADS = Object.values(router.routesById).map((route) => () => router.loadRouteChunk(route));

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** The query of a pipeline's page: the open tab. */
export interface PipelineSearch {
  readonly tab?: string;
}

function readPipelineSearch({ tab }: Readonly<Record<string, unknown>>): PipelineSearch {
  return typeof tab === 'string' ? { tab } : {};
}

function NotFound() {
  return (
    <Page
      title="Page not found"
      about="Check the address, or press Ctrl K to find a page, an endpoint or an execution."
    >
      <p>
        <Link to="/" className="text-accent underline">
          Go to Now
        </Link>
      </p>
    </Page>
  );
}

/** Shown in the frame when a page fails to load or render. */
function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <section role="alert" className={`py-4 lg:py-6 ${PAGE_WIDTH}`}>
      <h1 className="text-xl">Cannot show this page</h1>
      <p className="mt-1">
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <button type="button" onClick={reset} className="mt-2 text-accent underline">
        Try again
      </button>
    </section>
  );
}
