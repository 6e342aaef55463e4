import type { BodyOf, ParametersIn, QueryOf, Routes } from './contract/route.ts';
import { agentRoutes } from './routes/agents.ts';
import { alertRoutes } from './routes/alerts.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { approvalPageRoutes, approvalRoutes } from './routes/approvals.ts';
import { auditRoutes } from './routes/audit.ts';
import { callRoutes } from './routes/calls.ts';
import { dashboardRoutes } from './routes/dashboard.ts';
import { deviceRoutes } from './routes/device.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { executionStatsRoutes } from './routes/execution-stats.ts';
import { executionRoutes } from './routes/executions.ts';
import { hostedRoutes } from './routes/hosted.ts';
import { liveEventRoutes } from './routes/news.ts';
import { pipelineRunRoutes } from './routes/pipeline-runs.ts';
import { pipelineRoutes } from './routes/pipelines.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { secretRoutes } from './routes/secrets.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { statusRoutes } from './routes/status.ts';
import { joinRoutes, teamRoutes } from './routes/team.ts';
import { templateRoutes } from './routes/templates.ts';
import { usageRoutes } from './routes/usage.ts';
import { workspaceRoutes } from './routes/workspace.ts';
import { workspaceDeletionRoutes } from './routes/workspace-deletion.ts';

/** Every HTTP route of the hub by area (decision 45); an area is a heading in the description of the API. */
export const AREAS = {
  Calls: { about: 'Commands as URLs.', rows: callRoutes },
  Executions: {
    about: 'What ran, runs, and came of it.',
    rows: { ...executionRoutes, ...executionStatsRoutes },
  },
  Events: { about: 'What happens in the workspace, for dashboards.', rows: liveEventRoutes },
  Approvals: {
    about: 'Calls that wait for a person.',
    rows: { ...approvalRoutes, ...approvalPageRoutes },
  },
  Endpoints: { about: 'The commands that can be called.', rows: endpointRoutes },
  Pipelines: { about: 'Endpoints chained in graphs.', rows: pipelineRoutes },
  'Pipeline runs': { about: 'What pipelines did, step by step.', rows: pipelineRunRoutes },
  Templates: { about: 'The gallery: finished endpoints.', rows: templateRoutes },
  Schedules: { about: 'Endpoints that run by themselves.', rows: scheduleRoutes },
  Agents: {
    about: 'The machines that run commands, and the tokens that they connect with.',
    rows: agentRoutes,
  },
  'API keys': { about: 'What callers call with.', rows: apiKeyRoutes },
  Workspace: { about: 'What belongs together: endpoints, members, plan.', rows: workspaceRoutes },
  Secrets: { about: 'Values that commands get and nobody else.', rows: secretRoutes },
  Alerts: { about: 'Who is told of what happens.', rows: alertRoutes },
  'Audit log': { about: 'Who did what, and from where.', rows: auditRoutes },
  Team: { about: 'Members, their roles, and who is invited.', rows: { ...teamRoutes, ...joinRoutes } },
  'End of a workspace': {
    about: 'Deletion, with everything in it.',
    rows: workspaceDeletionRoutes,
  },
  Usage: { about: 'Plans, and what is used of them.', rows: { ...usageRoutes, ...hostedRoutes } },
  'Sign-in': { about: 'By a link in a mail; access tokens for programs.', rows: signInRoutes },
  'Sign-in of programs': { about: 'By a code that a person confirms in a browser.', rows: deviceRoutes },
  'Sessions and access tokens': {
    about: 'What somebody is signed in with, and how that ends.',
    rows: sessionRoutes,
  },
  Status: { about: 'How the hub is.', rows: statusRoutes },
  Dashboard: { about: 'The pages for people, and what they are made of.', rows: dashboardRoutes },
} as const satisfies Record<string, { readonly about: string; readonly rows: Routes }>;

/** Every HTTP route of the hub by name: a handler without a row cannot be written. */
export const ROUTES = {
  ...callRoutes,
  ...executionRoutes,
  ...executionStatsRoutes,
  ...liveEventRoutes,
  ...approvalRoutes,
  ...approvalPageRoutes,
  ...endpointRoutes,
  ...pipelineRoutes,
  ...pipelineRunRoutes,
  ...templateRoutes,
  ...scheduleRoutes,
  ...agentRoutes,
  ...apiKeyRoutes,
  ...workspaceRoutes,
  ...usageRoutes,
  ...hostedRoutes,
  ...workspaceDeletionRoutes,
  ...teamRoutes,
  ...joinRoutes,
  ...secretRoutes,
  ...alertRoutes,
  ...auditRoutes,
  ...signInRoutes,
  ...deviceRoutes,
  ...sessionRoutes,
  ...statusRoutes,
  ...dashboardRoutes,
} as const satisfies Routes;

export type RouteName = keyof typeof ROUTES;
export type Row<Name extends RouteName> = (typeof ROUTES)[Name];

export type ParametersOf<Name extends RouteName> = Readonly<Record<ParametersIn<Row<Name>['path']>, string>>;
export type RouteQuery<Name extends RouteName> = QueryOf<Row<Name>>;
export type RouteBodyOf<Name extends RouteName> = BodyOf<Row<Name>>;
