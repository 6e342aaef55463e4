import type { Logger } from 'pino';
import type { HubConfig } from '../config.ts';
import type { LinkTokens } from '../engine/account/link-token.ts';
import type { OutgoingMail } from '../engine/ports/accounts.ts';
import type { Bus } from '../engine/ports/bus.ts';
import type { Tracer } from '../engine/ports/tracer.ts';
import type { HubContext } from '../http/context.ts';
import { dashboardRoutes } from '../http/dashboard/routes.ts';
import { executionRoutes } from '../http/execution/routes.ts';
import { startRoute } from '../http/execution/start.ts';
import { executionStatsRoutes } from '../http/execution/stats.ts';
import { accountRoutes } from '../http/manage/accounts.ts';
import { agentRoutes } from '../http/manage/agents.ts';
import { alertRoutes } from '../http/manage/alerts.ts';
import { apiKeyRoutes } from '../http/manage/api-keys.ts';
import { approvalRoutes } from '../http/manage/approvals.ts';
import { approvePageRoutes } from '../http/manage/approve.ts';
import { auditRoutes } from '../http/manage/audit.ts';
import { deviceRoutes } from '../http/manage/device.ts';
import { endpointRoutes } from '../http/manage/endpoints.ts';
import { hostedRoutes } from '../http/manage/hosted.ts';
import { joinRoutes } from '../http/manage/join.ts';
import { newsRoutes } from '../http/manage/news.ts';
import { pipelineRoutes } from '../http/manage/pipelines.ts';
import { scheduleRoutes } from '../http/manage/schedules.ts';
import { secretRoutes } from '../http/manage/secrets.ts';
import { sessionRoutes } from '../http/manage/sessions.ts';
import { signInRoutes } from '../http/manage/sign-in.ts';
import { signInPageRoutes } from '../http/manage/sign-in-page.ts';
import { statusRoutes } from '../http/manage/status.ts';
import { teamRoutes } from '../http/manage/team.ts';
import { templateRoutes } from '../http/manage/templates.ts';
import { usageRoutes } from '../http/manage/usage.ts';
import { workspaceDeletionRoutes } from '../http/manage/workspace.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { pipelineRunRoutes } from '../http/pipeline-run/routes.ts';
import { runStartRoutes } from '../http/pipeline-run/start-routes.ts';
import type { Handlers } from '../http/routes/handler.ts';
import { type AnswerInspector, createRouter } from '../http/routes/router.ts';
import { createHandler } from '../http/server.ts';
import { tracedAnswers } from '../http/traced-answers.ts';
import type { Store } from '../store/create-store.ts';
import type { Alerts } from './alerts.ts';
import { dashboardPack } from './dashboard-pack.ts';
import { gallery } from './gallery.ts';
import type { Doors } from './listen.ts';
import { logRefused } from './log-refused.ts';

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
}: AnswerParts): Doors['answer'] {
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
    ...newsRoutes(context),
    ...approvalRoutes(context),
    ...approvePageRoutes(context, signIn),
    ...startRoute(context),
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
