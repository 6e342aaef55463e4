import type { BodyOf, ParametersIn, QueryOf, Routes } from './contract/route.ts';
import { agentRouteRows } from './routes/agents.ts';
import { aiClientRouteRows } from './routes/ai-clients.ts';
import { alertRouteRows } from './routes/alerts.ts';
import { apiKeyRouteRows } from './routes/api-keys.ts';
import { approvalPageRouteRows, approvalRouteRows } from './routes/approvals.ts';
import { artifactRouteRows } from './routes/artifacts.ts';
import { auditRouteRows } from './routes/audit.ts';
import { callRouteRows } from './routes/calls.ts';
import { catalogRouteRows } from './routes/catalog.ts';
import { choiceRouteRows } from './routes/choices.ts';
import { dashboardRouteRows } from './routes/dashboard.ts';
import { deviceRouteRows } from './routes/device.ts';
import { emailChangeRouteRows } from './routes/email-change.ts';
import { endpointGrantRouteRows } from './routes/endpoint-grants.ts';
import { endpointRouteRows } from './routes/endpoints.ts';
import { executionStatsRouteRows } from './routes/execution-stats.ts';
import { executionRouteRows } from './routes/executions.ts';
import { hostedRouteRows } from './routes/hosted.ts';
import { identityRouteRows } from './routes/identities.ts';
import { liveEventRouteRows } from './routes/live-events.ts';
import { mcpRouteRows } from './routes/mcp.ts';
import { ownershipRouteRows } from './routes/ownership.ts';
import { passkeyRouteRows } from './routes/passkeys.ts';
import { pipelineRunRouteRows } from './routes/pipeline-runs.ts';
import { pipelineRouteRows } from './routes/pipelines.ts';
import { providerLogoutRouteRows } from './routes/provider-logout.ts';
import { scheduleRouteRows } from './routes/schedules.ts';
import { scimRouteRows } from './routes/scim.ts';
import { scimSettingsRouteRows } from './routes/scim-settings.ts';
import { secondFactorRouteRows } from './routes/second-factor.ts';
import { secretRouteRows } from './routes/secrets.ts';
import { serviceAccountRouteRows } from './routes/service-accounts.ts';
import { sessionRouteRows } from './routes/sessions.ts';
import { signInRouteRows } from './routes/sign-in.ts';
import { startRouteRows } from './routes/start-execution.ts';
import { statusRouteRows } from './routes/status.ts';
import { tailRouteRows } from './routes/tail.ts';
import { joinRouteRows, teamRouteRows } from './routes/team.ts';
import { templateRouteRows } from './routes/templates.ts';
import { usageRouteRows } from './routes/usage.ts';
import { workspaceRouteRows } from './routes/workspace.ts';
import { workspaceDeletionRouteRows } from './routes/workspace-deletion.ts';
import { workspaceSignInRouteRows } from './routes/workspace-sign-in.ts';

/**
 * Every HTTP route of the hub by area (decision 45, the table of routes). An area is a heading in the description of the
 * API.
 */
export const AREAS = {
  Calls: { about: 'Commands as URLs.', rows: { ...callRouteRows, ...catalogRouteRows } },
  'AI agents': { about: 'Commands as tools of the Model Context Protocol.', rows: mcpRouteRows },
  'Access for AI agents': {
    about: 'The authorization server of MCP clients (OAuth 2.1), and the clients with access.',
    rows: aiClientRouteRows,
  },
  Executions: {
    about: 'Runs of endpoints and their results.',
    rows: { ...startRouteRows, ...executionRouteRows, ...executionStatsRouteRows, ...tailRouteRows },
  },
  Artifacts: { about: 'Files that executions leave.', rows: artifactRouteRows },
  Events: { about: 'Live events of the workspace, for dashboards.', rows: liveEventRouteRows },
  Approvals: {
    about: 'Calls that wait for a decision.',
    rows: { ...approvalRouteRows, ...approvalPageRouteRows },
  },
  Endpoints: { about: 'Commands that can be called.', rows: { ...endpointRouteRows, ...choiceRouteRows } },
  Pipelines: { about: 'Endpoints chained in graphs.', rows: pipelineRouteRows },
  'Pipeline runs': { about: 'Runs of pipelines, step by step.', rows: pipelineRunRouteRows },
  Templates: { about: 'The gallery of ready-made endpoints.', rows: templateRouteRows },
  Schedules: { about: 'Endpoints that run by the clock.', rows: scheduleRouteRows },
  Agents: {
    about: 'The machines that run commands, and their tokens.',
    rows: agentRouteRows,
  },
  'API keys': { about: 'The keys of callers.', rows: apiKeyRouteRows },
  'Service accounts': {
    about: 'Programs with a role in the workspace, and their keys.',
    rows: serviceAccountRouteRows,
  },
  'Rights on endpoints': {
    about: 'Who may use which endpoint, beside roles.',
    rows: endpointGrantRouteRows,
  },
  Workspace: { about: 'Endpoints, members and plan belong to a workspace.', rows: workspaceRouteRows },
  Secrets: { about: 'Values that only commands receive.', rows: secretRouteRows },
  Alerts: { about: 'Rules that send alerts on events.', rows: alertRouteRows },
  'Audit log': { about: 'Who did what, when, and from which address.', rows: auditRouteRows },
  Team: {
    about: 'Members, roles and invitations.',
    rows: { ...teamRouteRows, ...ownershipRouteRows, ...joinRouteRows },
  },
  'End of a workspace': {
    about: 'Deletion of a workspace with all its data.',
    rows: workspaceDeletionRouteRows,
  },
  Usage: { about: 'Plans and their usage.', rows: { ...usageRouteRows, ...hostedRouteRows } },
  'Sign-in': { about: 'Sign-in by a link in a mail; access tokens for programs.', rows: signInRouteRows },
  'Single sign-on': {
    about: 'Sign-in at an OpenID provider, and the sign-ins that are linked to an account.',
    rows: { ...identityRouteRows, ...providerLogoutRouteRows },
  },
  'Providers of workspaces': {
    about: 'Sign-in at the OpenID provider of a workspace.',
    rows: workspaceSignInRouteRows,
  },
  Provisioning: {
    about: 'Users and groups that a provider sends by SCIM 2.0 (RFC 7643 and 7644), and its token.',
    rows: { ...scimSettingsRouteRows, ...scimRouteRows },
  },
  'Change of address': {
    about: 'The mail address of an account. Both addresses confirm a change.',
    rows: emailChangeRouteRows,
  },
  Passkeys: { about: 'Sign-in with a passkey, and the passkeys of a person.', rows: passkeyRouteRows },
  'Second factor': {
    about: 'The second factor of a sign-in: passkeys, and recovery codes.',
    rows: secondFactorRouteRows,
  },
  'Sign-in of programs': {
    about: 'Sign-in with a code that a person confirms in a browser.',
    rows: deviceRouteRows,
  },
  'Sessions and access tokens': {
    about: 'Signed-in browsers and programs, and how to sign them out.',
    rows: sessionRouteRows,
  },
  Status: { about: 'The state of the hub.', rows: statusRouteRows },
  Dashboard: { about: 'The pages of the dashboard and their files.', rows: dashboardRouteRows },
} as const satisfies Record<string, { readonly about: string; readonly rows: Routes }>;

/** Every HTTP route of the hub by name. A handler without a row does not compile. */
export const ROUTES = {
  ...callRouteRows,
  ...catalogRouteRows,
  ...mcpRouteRows,
  ...aiClientRouteRows,
  ...startRouteRows,
  ...executionRouteRows,
  ...executionStatsRouteRows,
  ...tailRouteRows,
  ...artifactRouteRows,
  ...liveEventRouteRows,
  ...approvalRouteRows,
  ...approvalPageRouteRows,
  ...endpointRouteRows,
  ...choiceRouteRows,
  ...pipelineRouteRows,
  ...pipelineRunRouteRows,
  ...templateRouteRows,
  ...scheduleRouteRows,
  ...agentRouteRows,
  ...apiKeyRouteRows,
  ...endpointGrantRouteRows,
  ...serviceAccountRouteRows,
  ...workspaceRouteRows,
  ...usageRouteRows,
  ...hostedRouteRows,
  ...workspaceDeletionRouteRows,
  ...teamRouteRows,
  ...ownershipRouteRows,
  ...joinRouteRows,
  ...secretRouteRows,
  ...alertRouteRows,
  ...auditRouteRows,
  ...signInRouteRows,
  ...identityRouteRows,
  ...providerLogoutRouteRows,
  ...workspaceSignInRouteRows,
  ...scimSettingsRouteRows,
  ...scimRouteRows,
  ...emailChangeRouteRows,
  ...passkeyRouteRows,
  ...secondFactorRouteRows,
  ...deviceRouteRows,
  ...sessionRouteRows,
  ...statusRouteRows,
  ...dashboardRouteRows,
} as const satisfies Routes;

export type RouteName = keyof typeof ROUTES;
export type RouteRow<Name extends RouteName> = (typeof ROUTES)[Name];

export type ParametersOf<Name extends RouteName> = Readonly<
  Record<ParametersIn<RouteRow<Name>['path']>, string>
>;
export type RouteQuery<Name extends RouteName> = QueryOf<RouteRow<Name>>;
export type RouteBodyOf<Name extends RouteName> = BodyOf<RouteRow<Name>>;
