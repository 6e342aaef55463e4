import type { Logger } from 'pino';
import type { HubConfig } from '../config.ts';
import type { LinkTokens } from '../engine/account/link-token.ts';
import type { OutgoingMail } from '../engine/ports/accounts.ts';
import type { HubContext } from '../http/context.ts';
import { executionRoutes } from '../http/execution/routes.ts';
import { startRoute } from '../http/execution/start.ts';
import { accountRoutes } from '../http/manage/accounts.ts';
import { agentRoutes } from '../http/manage/agents.ts';
import { alertRoutes } from '../http/manage/alerts.ts';
import { apiKeyRoutes } from '../http/manage/api-keys.ts';
import { approvalRoutes } from '../http/manage/approvals.ts';
import { approvePageRoutes } from '../http/manage/approve.ts';
import { auditRoutes } from '../http/manage/audit.ts';
import { deviceRoutes } from '../http/manage/device.ts';
import { endpointRoutes } from '../http/manage/endpoints.ts';
import { joinRoutes } from '../http/manage/join.ts';
import { scheduleRoutes } from '../http/manage/schedules.ts';
import { secretRoutes } from '../http/manage/secrets.ts';
import { sessionRoutes } from '../http/manage/sessions.ts';
import { signInRoutes } from '../http/manage/sign-in.ts';
import { statusRoutes } from '../http/manage/status.ts';
import { teamRoutes } from '../http/manage/team.ts';
import { usageRoutes } from '../http/manage/usage.ts';
import { workspaceDeletionRoutes } from '../http/manage/workspace.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Handlers } from '../http/routes/handler.ts';
import { type AnswerInspector, createRouter } from '../http/routes/router.ts';
import { createHandler } from '../http/server.ts';
import type { Store } from '../store/create-store.ts';
import type { Alerts } from './alerts.ts';
import type { Doors } from './listen.ts';
import { logRefused } from './log-refused.ts';

/** What answers to HTTP requests are made of. */
export interface AnswerParts {
  readonly config: HubConfig;
  readonly context: HubContext;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly tokens: LinkTokens;
  readonly userCodeKey: Uint8Array;
  readonly onMail: (mail: OutgoingMail) => void;
  readonly alerts: Pick<Alerts, 'parts'>;
  readonly logger: Logger;
  readonly inspect: AnswerInspector | undefined;
  readonly isOpen: () => boolean;
}

/** Every route with its handler, behind one function. */
export function answers({
  config,
  context,
  store,
  metrics,
  tokens,
  userCodeKey,
  onMail,
  alerts,
  logger,
  inspect,
  isOpen,
}: AnswerParts): Doors['answer'] {
  const signIn = { tokens, defaultPlan: config.defaultPlan, onMail };
  const handlers: Handlers = {
    ...signInRoutes(context, signIn),
    ...deviceRoutes(context, { ...signIn, userCodeKey }),
    ...accountRoutes(context),
    ...sessionRoutes(context),
    ...teamRoutes(context, signIn),
    ...joinRoutes(context, signIn),
    ...apiKeyRoutes(context),
    ...agentRoutes(context),
    ...endpointRoutes(context),
    ...usageRoutes(context, config),
    ...workspaceDeletionRoutes(context),
    ...scheduleRoutes(context),
    ...secretRoutes(context),
    ...alertRoutes(context, alerts.parts),
    ...auditRoutes(context),
    ...executionRoutes(context),
    ...approvalRoutes(context),
    ...approvePageRoutes(context, signIn),
    ...startRoute(context),
    ...statusRoutes(context, {
      storeHealth: () => store.health(),
      isStopping: () => !isOpen(),
      metrics: () => metrics.read(),
    }),
  };
  const answer = createHandler(context, createRouter(context, handlers, inspect));
  return async (request) => {
    const response = await answer(request);
    metrics.answered(response.status);
    logRefused(logger, request, response.status, () => context.addressOf(request));
    return response;
  };
}
