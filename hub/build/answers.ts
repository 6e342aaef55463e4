import type { Logger } from 'pino';
import { accountRoutes } from '../accounts/account-routes.ts';
import { apiKeyRoutes } from '../accounts/api-key-routes.ts';
import { deviceRoutes } from '../accounts/device-routes.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { sessionRoutes } from '../accounts/session-routes.ts';
import { signInPageRoutes } from '../accounts/sign-in-page.ts';
import { signInRoutes } from '../accounts/sign-in-routes.ts';
import { agentRoutes } from '../agents/agent-routes.ts';
import { alertRoutes } from '../alerts/alert-routes.ts';
import { approvePageRoutes } from '../approvals/approval-page-routes.ts';
import { approvalRoutes } from '../approvals/approval-routes.ts';
import { auditRoutes } from '../audit/audit-routes.ts';
import { catalogRoutes } from '../calls/catalog-routes.ts';
import { startRoute } from '../calls/start-routes.ts';
import type { HubConfig } from '../config.ts';
import { dashboardPack } from '../dashboard/dashboard-pack.ts';
import { dashboardRoutes } from '../dashboard/dashboard-routes.ts';
import { endpointRoutes } from '../endpoints/endpoint-routes.ts';
import { liveEventRoutes } from '../events/http/event-routes.ts';
import { executionRoutes } from '../executions/http/execution-routes.ts';
import { executionStatsRoutes } from '../executions/http/statistics-routes.ts';
import { hostedRoutes } from '../hosted/hosted-routes.ts';
import type { Handlers } from '../http/handler.ts';
import { type AnswerInspector, createRouter } from '../http/router.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { pipelineRoutes } from '../pipelines/pipeline-routes.ts';
import { pipelineRunRoutes } from '../pipelines/runs/http/run-routes.ts';
import { runStartRoutes } from '../pipelines/runs/http/start-routes.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { logRefused } from '../platform/http/log-refused.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import { scheduleRoutes } from '../schedules/schedule-routes.ts';
import { secretRoutes } from '../secrets/secret-routes.ts';
import { joinRoutes } from '../teams/join-routes.ts';
import { teamRoutes } from '../teams/team-routes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { gallery } from '../templates/gallery.ts';
import { templateRoutes } from '../templates/template-routes.ts';
import { usageRoutes } from '../workspaces/usage-routes.ts';
import { workspaceDeletionRoutes } from '../workspaces/workspace-routes.ts';
import type { Alerts } from './alerts.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';
import type { RequestHandlers } from './listen.ts';
import { createHandler } from './server.ts';
import { statusRoutes } from './status-routes.ts';
import { tracedAnswers } from './traced-answers.ts';

/** What answers to HTTP requests are made of. */
export interface AnswerParts {
  readonly config: HubConfig;
  readonly context: HubContext;
  readonly store: Store;
  readonly metrics: Metrics;
  /** Undefined where nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly tokens: LinkTokens;
  readonly userCodeKey: Uint8Array;
  readonly onMail: (mail: OutgoingMail) => void;
  readonly alerts: Pick<Alerts, 'parts'>;
  readonly logger: Logger;
  readonly inspect: AnswerInspector | undefined;
  readonly bus: Bus | undefined;
  readonly isOpen: () => boolean;
  readonly isDraining: () => boolean;
}

/** Every route with its handler, behind one function. */
export function answers({
  config,
  context,
  store,
  metrics,
  tracer,
  tokens,
  userCodeKey,
  onMail,
  alerts,
  logger,
  inspect,
  bus,
  isOpen,
  isDraining,
}: AnswerParts): RequestHandlers['answer'] {
  const signIn = { tokens, defaultPlan: config.defaultPlan, onMail };
  const handlers: Handlers = {
    ...signInRoutes(context, signIn),
    ...signInPageRoutes(context, signIn),
    ...deviceRoutes(context, { ...signIn, userCodeKey }),
    ...accountRoutes(context),
    ...sessionRoutes(context),
    ...teamRoutes(context, signIn),
    ...joinRoutes(context, signIn),
    ...apiKeyRoutes(context),
    ...agentRoutes(context),
    ...endpointRoutes(context),
    ...pipelineRoutes(context),
    ...pipelineRunRoutes(context),
    ...runStartRoutes(context),
    ...templateRoutes(context, gallery),
    ...usageRoutes(context, config),
    ...hostedRoutes(context),
    ...workspaceDeletionRoutes(context),
    ...scheduleRoutes(context),
    ...secretRoutes(context),
    ...alertRoutes(context, alerts.parts),
    ...auditRoutes(context),
    ...executionRoutes(context),
    ...executionStatsRoutes(context),
    ...liveEventRoutes(context),
    ...approvalRoutes(context),
    ...approvePageRoutes(context, signIn),
    ...startRoute(context),
    ...catalogRoutes(context),
    ...mcpRoutes(context),
    ...statusRoutes(context, {
      storeHealth: () => store.health(),
      storeDamage: () => store.damage,
      isStopping: () => !isOpen(),
      isDraining,
      busState: () => bus && (bus.isConnected ? 'ok' : 'lost'),
      metrics: () => metrics.read(),
    }),
    ...dashboardRoutes(context, dashboardPack()),
  };
  const manage = createRouter(context, handlers, inspect);
  const handler = createHandler(context, manage, (arrivedAtMs, response) =>
    metrics.called(arrivedAtMs, response),
  );
  const answer = tracer === undefined ? handler : tracedAnswers(tracer, handler);
  return async (request) => {
    const response = await answer(request);
    metrics.answered(response.status);
    // A balancer keeps no connection that is about to break.
    if (isDraining()) response.headers.set('Connection', 'close');
    logRefused(logger, request, response.status, () => context.addressOf(request));
    return response;
  };
}
