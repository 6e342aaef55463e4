import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readEndpointSearch, readEndpointsSearch } from './endpoint/endpoint-search.ts';
import { readExecutionSearch } from './execution/list/execution-search.ts';
import { prefetchFirstRun } from './first-run/use-first-run.ts';
import { NowPage } from './now/NowPage.tsx';
import { prefetchNow } from './now/now-reads.ts';
import { readPipelineSearch } from './pipeline/pipeline-search.ts';
import { Frame } from './shell/Frame.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { PageError } from './shell/PageError.tsx';
import { PageLoading } from './shell/PageLoading.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

// Each page is loaded on its first visit, except the start page.

const now = createRoute({
  getParentRoute: () => root,
  path: '/',
  // The data loads while the frame is still loading.
  loader() {
    prefetchFirstRun();
    prefetchNow();
  },
  component: NowPage,
});

const executions = createRoute({
  getParentRoute: () => root,
  path: '/executions',
  validateSearch: readExecutionSearch,
  component: lazyRouteComponent(() => import('./execution/list/ExecutionsPage.tsx'), 'ExecutionsPage'),
});

const execution = createRoute({
  getParentRoute: () => root,
  path: '/executions/$id',
  component: lazyRouteComponent(() => import('./execution/page/ExecutionPage.tsx'), 'ExecutionPage'),
});

const endpoints = createRoute({
  getParentRoute: () => root,
  path: '/endpoints',
  validateSearch: readEndpointsSearch,
  component: lazyRouteComponent(() => import('./endpoint/list/EndpointsPage.tsx'), 'EndpointsPage'),
});

const newEndpoint = createRoute({
  getParentRoute: () => root,
  path: '/endpoints/new',
  component: lazyRouteComponent(() => import('./endpoint/edit/NewEndpointPage.tsx'), 'NewEndpointPage'),
});

const endpoint = createRoute({
  getParentRoute: () => root,
  path: '/endpoints/$name',
  validateSearch: readEndpointSearch,
  component: lazyRouteComponent(() => import('./endpoint/EndpointPage.tsx'), 'EndpointPage'),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agent/AgentsPage.tsx'), 'AgentsPage'),
});

const secrets = createRoute({
  getParentRoute: () => root,
  path: '/secrets',
  component: lazyRouteComponent(() => import('./secret/SecretsPage.tsx'), 'SecretsPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/api-keys',
  component: lazyRouteComponent(() => import('./key/KeysPage.tsx'), 'KeysPage'),
});

const team = createRoute({
  getParentRoute: () => root,
  path: '/team',
  component: lazyRouteComponent(() => import('./team/TeamPage.tsx'), 'TeamPage'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage/UsagePage.tsx'), 'UsagePage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit/AuditPage.tsx'), 'AuditPage'),
});

const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  component: lazyRouteComponent(() => import('./outbox/OutboxPage.tsx'), 'OutboxPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  component: lazyRouteComponent(() => import('./approval/ApprovalsPage.tsx'), 'ApprovalsPage'),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./schedule/SchedulesPage.tsx'), 'SchedulesPage'),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alert/AlertsPage.tsx'), 'AlertsPage'),
});

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  component: lazyRouteComponent(() => import('./template/TemplatesPage.tsx'), 'TemplatesPage'),
});

const pipelines = createRoute({
  getParentRoute: () => root,
  path: '/pipelines',
  component: lazyRouteComponent(() => import('./pipeline/list/PipelinesPage.tsx'), 'PipelinesPage'),
});

const newPipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/new',
  component: lazyRouteComponent(() => import('./pipeline/edit/NewPipelinePage.tsx'), 'NewPipelinePage'),
});

const pipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/$slug',
  validateSearch: readPipelineSearch,
  component: lazyRouteComponent(() => import('./pipeline/PipelinePage.tsx'), 'PipelinePage'),
});

const pipelineRun = createRoute({
  getParentRoute: () => root,
  path: '/pipeline-runs/$id',
  component: lazyRouteComponent(() => import('./pipeline/run/RunPage.tsx'), 'RunPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    now,
    executions,
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

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
