import { accountRoutes } from '../accounts/account-routes.ts';
import { apiKeyRoutes } from '../accounts/api-key-routes.ts';
import { deviceRoutes } from '../accounts/device-routes.ts';
import { emailChangeRoutes } from '../accounts/email-change-routes.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { sessionRoutes } from '../accounts/session-routes.ts';
import { signInRoutes } from '../accounts/sign-in-routes.ts';
import { usernameRoutes } from '../accounts/username-routes.ts';
import { agentRoutes } from '../agents/agent-routes.ts';
import { alertRoutes } from '../alerts/alert-routes.ts';
import { systemResolve } from '../alerts/delivery/checked-addresses.ts';
import { approvePageRoutes } from '../approvals/approval-page-routes.ts';
import { approvalRoutes } from '../approvals/approval-routes.ts';
import { AppendOrder } from '../artifacts/append-order.ts';
import { artifactRoutes } from '../artifacts/artifact-routes.ts';
import { ByteChecks } from '../artifacts/byte-checks.ts';
import { auditRoutes } from '../audit/audit-routes.ts';
import { catalogRoutes } from '../calls/catalog-routes.ts';
import { choiceRoutes } from '../calls/choice-routes.ts';
import { startRoute } from '../calls/start-routes.ts';
import type { HubConfig } from '../config.ts';
import { builtPack } from '../dashboard/asset-pack.ts';
import { dashboardRoutes, documentationRoutes } from '../dashboard/dashboard-routes.ts';
import { endpointGrantRoutes } from '../endpoint-grants/endpoint-grant-routes.ts';
import { endpointRoutes } from '../endpoints/endpoint-routes.ts';
import { liveEventRoutes } from '../events/event-routes.ts';
import { executionRoutes } from '../executions/http/execution-routes.ts';
import { executionStatsRoutes } from '../executions/http/statistics-routes.ts';
import { tailRoutes } from '../executions/http/tail-routes.ts';
import { hostedRoutes } from '../hosted/hosted-routes.ts';
import type { Handlers } from '../http/handler.ts';
import { identityRoutes } from '../identity/identity-routes.ts';
import { providerLogoutRoutes } from '../identity/provider-logout-routes.ts';
import { workspaceSignInRoutes } from '../identity/workspace-sign-in-routes.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { aiClientRoutes } from '../oauth/ai-client-routes.ts';
import { consentRoutes } from '../oauth/consent-routes.ts';
import { fetchDocument } from '../oauth/fetch-document.ts';
import { tokenRoutes } from '../oauth/token-routes.ts';
import { passkeyRoutes } from '../passkeys/passkey-routes.ts';
import { pipelineRoutes } from '../pipelines/pipeline-routes.ts';
import { pipelineRunRoutes } from '../pipelines/runs/http/run-routes.ts';
import { runStartRoutes } from '../pipelines/runs/http/start-routes.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { scheduleRoutes } from '../schedules/schedule-routes.ts';
import { assignRolesByMap } from '../scim/provision-group.ts';
import { scimRoutes } from '../scim/scim-routes.ts';
import { scimSettingsRoutes } from '../scim/scim-settings-routes.ts';
import { demandSecondFactorRoutes } from '../second-factor/demand-second-factor-routes.ts';
import { secondFactorRoutes } from '../second-factor/second-factor-routes.ts';
import { secretRoutes } from '../secrets/secret-routes.ts';
import { serviceAccountRoutes } from '../service-accounts/service-account-routes.ts';
import { joinRoutes } from '../teams/join-routes.ts';
import { ownershipRoutes } from '../teams/ownership-routes.ts';
import { groupRoutes, teamRoutes } from '../teams/team-routes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { gallery, templateRoutes } from '../templates/template-routes.ts';
import { usageRoutes, workspaceDeletionRoutes } from '../workspaces/workspace-routes.ts';
import type { Alerts } from './alerts.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';
import type { SignInProviders } from './sign-in-providers.ts';
import { statusRoutes } from './status-routes.ts';

/** What the routes are built from. */
export interface HandlerParts {
  readonly config: HubConfig;
  readonly context: HubContext;
  readonly store: Store;
  readonly files: FileStore;
  readonly metrics: Metrics;
  readonly tokens: LinkTokens;
  readonly userCodeKey: Uint8Array;
  readonly onMail: (mail: OutgoingMail) => void;
  readonly providers: SignInProviders;
  readonly alerts: Pick<Alerts, 'parts'>;
  readonly bus: Bus | undefined;
  readonly isOpen: () => boolean;
  readonly isDraining: () => boolean;
}

/** The handler of every route, except that of calls. */
export function allHandlers({
  config,
  context,
  store,
  files,
  metrics,
  tokens,
  userCodeKey,
  onMail,
  providers,
  alerts,
  bus,
  isOpen,
  isDraining,
}: HandlerParts): Handlers {
  const signIn = { tokens, defaultPlan: config.defaultPlan, onMail };
  const { clock, settings } = context;
  const documents = { clock, resolve: systemResolve, allowed: settings.alertNetworks };
  return {
    ...signInRoutes(context, signIn),
    ...identityRoutes(context, { ...signIn, ...providers }),
    ...workspaceSignInRoutes({ ...context, ...providers }, { ...signIn, ...providers }),
    ...providerLogoutRoutes(context, providers),
    ...passkeyRoutes(context, signIn),
    ...secondFactorRoutes(context, signIn),
    ...deviceRoutes(context, { ...signIn, userCodeKey }),
    ...accountRoutes(context, config),
    ...usernameRoutes(context),
    ...sessionRoutes(context),
    ...emailChangeRoutes(context, signIn),
    ...teamRoutes(context, signIn),
    ...groupRoutes(context, {
      onMail,
      provider: config.oidc,
      providerOf: (id) => context.workspaceProviders.find(id),
      assignRoles: (workspace, by) => assignRolesByMap({ ...context, ...signIn }, { workspace, by }),
    }),
    ...ownershipRoutes(context, signIn),
    ...joinRoutes(context, signIn),
    ...apiKeyRoutes(context),
    ...scimSettingsRoutes(context),
    ...scimRoutes(context, signIn),
    ...serviceAccountRoutes(context),
    ...endpointGrantRoutes(context),
    ...agentRoutes(context),
    ...endpointRoutes(context),
    ...pipelineRoutes(context),
    ...pipelineRunRoutes(context),
    ...runStartRoutes(context),
    ...templateRoutes(context, gallery),
    ...usageRoutes(context, config),
    ...hostedRoutes(context),
    ...workspaceDeletionRoutes(context, config),
    ...scheduleRoutes(context),
    ...secretRoutes(context),
    ...alertRoutes(context, alerts.parts),
    ...artifactRoutes({
      ...context,
      artifacts: store.artifacts,
      files,
      checks: new ByteChecks(),
      // Hubs that share a database may share the folder, and each gets some of the requests.
      order: config.databaseUrl === undefined ? new AppendOrder(context.clock) : undefined,
    }),
    ...auditRoutes(context),
    ...executionRoutes(context),
    ...executionStatsRoutes(context),
    ...tailRoutes(context),
    ...liveEventRoutes(context),
    ...approvalRoutes(context),
    ...approvePageRoutes(context, signIn),
    ...startRoute(context),
    ...choiceRoutes(context),
    ...catalogRoutes(context),
    ...mcpRoutes(context),
    ...consentRoutes(context, { ...context, fetchDocument: (url) => fetchDocument(documents, url) }),
    ...tokenRoutes(context),
    ...aiClientRoutes(context),
    ...demandSecondFactorRoutes(context),
    ...statusRoutes(context, {
      storeHealth: () => store.health(),
      storeDamage: () => store.damage,
      isStopping: () => !isOpen(),
      isDraining,
      busState: () => bus && (bus.isConnected ? 'ok' : 'lost'),
      metrics: () => metrics.read(),
    }),
    ...dashboardRoutes(context, builtPack('dashboard')),
    ...documentationRoutes(builtPack('documentation')),
  };
}
