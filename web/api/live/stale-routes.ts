import type { ClientRoute } from '@svc/core/api/client/api-call';
import type { LiveEventMessage } from '@svc/core/api/contract/live-event-message';

/** Queries to refetch: all of a route, or those for one record. */
export interface Stale {
  readonly route: ClientRoute;
  /** The id in the path; undefined: the queries for all records. */
  readonly id?: string;
}

type Change = Extract<LiveEventMessage, { type: 'change' }>;

/** What people may do in effect. */
const RIGHTS = ['listEndpointHolders', 'listEndpointRights'] as const;

/** The routes whose response depends on a kind of record. */
const OF_CHANGE: Readonly<Record<Change['kind'], readonly ClientRoute[]>> = {
  workspace: [
    'showWorkspace',
    'showUsername',
    'listWorkspaces',
    'showUsage',
    'showHostedUsage',
    'showAiAccess',
    'showSignInProvider',
    'showSecondFactorRule',
    'listEndpointGrants',
    'showEndpointAccess',
    ...RIGHTS,
  ],
  member: [
    'listMembers',
    'showSecondFactorRule',
    'showOwnership',
    'showWorkspace',
    'listApiKeys',
    'listAiClients',
    'listEndpointGrants',
    'showProvisioning',
    ...RIGHTS,
  ],
  endpoint: [
    'listEndpoints',
    'showEndpoint',
    'listEndpointVersions',
    'listSchedules',
    'listSecretGrants',
    ...RIGHTS,
  ],
  pipeline: ['listPipelines', 'showPipeline', 'listPipelineVersions'],
  agent: ['listAgents', 'listSecretGrants'],
  approval: ['listApprovals', 'countWaiting', 'showApproval'],
  alert: ['listAlerts', 'showAlert'],
  secret: ['listSecrets', 'listSecretGrants', 'listEndpoints', 'showEndpoint'],
  api_key: ['listApiKeys'],
  service_account: ['listServiceAccounts', ...RIGHTS],
  ai_client: ['listAiClients'],
  agent_token: ['listAgentTokens', 'listSecretGrants'],
  invite: ['listInvites', 'showUsage'],
  account: ['showSecondFactor'],
  access_token: ['listPersonalTokens'],
  device: ['listPersonalTokens'],
  scim_token: ['showProvisioning'],
  scim_user: ['showProvisioning'],
  scim_group: ['showProvisioning'],
};

/** The queries that an event of `GET /events` makes stale; undefined: all of them. */
export function staleAfter(event: LiveEventMessage): readonly Stale[] | undefined {
  switch (event.type) {
    // Data read before the stream was open may have changed since.
    case 'ready':
    case 'reset':
      return undefined;
    case 'execution':
      return [
        ...all('listExecutions', 'listAgents', 'showUsage'),
        ...(mayBeScheduled(event.trigger) ? all('listSchedules') : []),
        { route: 'showExecution', id: event.execution_id },
        { route: 'listArtifacts', id: event.execution_id },
      ];
    case 'executions':
      return all(
        'listExecutions',
        'showExecution',
        'listArtifacts',
        'listAgents',
        'showUsage',
        'listSchedules',
      );
    case 'approval':
      return [
        ...all('listApprovals', 'countWaiting'),
        { route: 'showApproval', id: event.approval_id },
        { route: 'showExecution', id: event.execution_id },
      ];
    case 'agent':
      return all('listAgents', 'listEndpoints', 'showEndpoint', 'listSecretGrants');
    case 'pipeline_run':
      return [...all('listPipelineRuns'), { route: 'showPipelineRun', id: event.run_id }];
    case 'pipeline_node':
      return [{ route: 'showPipelineRun', id: event.run_id }];
    case 'quota':
      return all('showUsage', 'showHostedUsage');
    case 'change':
      return all('listAudit', ...OF_CHANGE[event.kind]);
  }
}

/** A schedule lists its last and its next runs. Some changes do not tell how their execution began. */
function mayBeScheduled(trigger: string | undefined): boolean {
  return trigger === undefined || trigger === 'schedule';
}

function all(...routes: readonly ClientRoute[]): Stale[] {
  return routes.map((route) => ({ route }));
}
