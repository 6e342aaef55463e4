/**
 * The module of each lazily loaded page, by the path of its route. The page's HTML names its files, so that the browser fetches
 * them together with those of the frame.
 */
export const PAGE_FILES = {
  '/executions': 'execution/list/ExecutionsPage.tsx',
  '/live': 'tail/TailPage.tsx',
  '/executions/$id': 'execution/page/ExecutionPage.tsx',
  '/endpoints': 'endpoint/list/EndpointsPage.tsx',
  '/endpoints/new': 'endpoint/edit/NewEndpointPage.tsx',
  '/endpoints/$name': 'endpoint/EndpointPage.tsx',
  '/agents': 'agent/AgentsPage.tsx',
  '/secrets': 'secret/SecretsPage.tsx',
  '/api-keys': 'key/KeysPage.tsx',
  '/team': 'team/TeamPage.tsx',
  '/usage': 'usage/UsagePage.tsx',
  '/audit': 'audit/AuditPage.tsx',
  '/outbox': 'outbox/OutboxPage.tsx',
  '/settings': 'settings/SettingsPage.tsx',
  '/approvals': 'approval/ApprovalsPage.tsx',
  '/schedules': 'schedule/SchedulesPage.tsx',
  '/alerts': 'alert/AlertsPage.tsx',
  '/templates': 'template/TemplatesPage.tsx',
  '/pipelines': 'pipeline/list/PipelinesPage.tsx',
  '/pipelines/new': 'pipeline/edit/NewPipelinePage.tsx',
  '/pipelines/$slug': 'pipeline/PipelinePage.tsx',
  '/pipeline-runs/$id': 'pipeline/run/RunPage.tsx',
} as const satisfies Readonly<Record<string, string>>;
