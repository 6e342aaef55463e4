import { isPrefetch, PREFETCH_REFUSED, refusesPrefetch } from '@svc/core/api/prefetch';
import { requestTarget } from '@svc/core/api/request-target';
import { Refusal, refuse } from '@svc/core/refusal';
import { readTraceparent } from '@svc/core/trace/traceparent';
import type { Logger } from 'pino';
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
import { auditRoutes } from '../audit/audit-routes.ts';
import { catalogRoutes } from '../calls/catalog-routes.ts';
import { choiceRoutes } from '../calls/choice-routes.ts';
import { handleCall, withCors } from '../calls/handle-call.ts';
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
import { type AnswerInspector, createRouter, HTTPS_ONLY } from '../http/router.ts';
import { StreamedResponse } from '../http/sse-response.ts';
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
import { bugResponse, refusalResponse } from '../platform/http/json-response.ts';
import { routeOf } from '../platform/http/route-of.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { SpanFacts, Tracer } from '../platform/tracing/tracer.ts';
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
import type { RequestHandlers } from './listen.ts';
import type { SignInProviders } from './sign-in-providers.ts';
import { statusRoutes } from './status-routes.ts';

/** The parts that answer HTTP requests. */
interface AnswerParts {
  readonly config: HubConfig;
  readonly context: HubContext;
  readonly store: Store;
  readonly files: FileStore;
  readonly metrics: Metrics;
  /** Undefined without tracing. */
  readonly tracer: Tracer | undefined;
  readonly tokens: LinkTokens;
  readonly userCodeKey: Uint8Array;
  readonly onMail: (mail: OutgoingMail) => void;
  readonly providers: SignInProviders;
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
  files,
  metrics,
  tracer,
  tokens,
  userCodeKey,
  onMail,
  providers,
  alerts,
  logger,
  inspect,
  bus,
  isOpen,
  isDraining,
}: AnswerParts): RequestHandlers['answer'] {
  const signIn = { tokens, defaultPlan: config.defaultPlan, onMail };
  const { clock, settings } = context;
  const documents = { clock, resolve: systemResolve, allowed: settings.alertNetworks };
  const handlers: Handlers = {
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
      checks: new Map(),
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
  const manage = createRouter(context, handlers, inspect);
  const handler = createHandler(context, manage, (arrivedAtMs, response) =>
    metrics.called(arrivedAtMs, response),
  );
  const answer = tracer === undefined ? handler : tracedAnswers(tracer, handler);
  return async (request) => {
    const response = await answer(request);
    metrics.answered(response.status);
    // The connection closes, so that a balancer does not keep one that is about to break.
    if (isDraining()) response.headers.set('Connection', 'close');
    logRefused(logger, request, response.status, () => context.addressOf(request));
    return response;
  };
}

const CALLS = '/v1/';
/** The list of callable endpoints, for programs. It collides with no endpoint, because a slug has no dot. */
const CATALOG = /^\/v1\/[^/]+(?:\/openapi\.json)?$/;

/** Called for the answer to each call, with the `performance.now()` at which the request arrived. */
type CallListener = (arrivedAtMs: number, response: Response) => void;

/** Answers every HTTP request of the hub. Calls are handled first and without a router, because they must be fast. */
function createHandler(
  context: HubContext,
  manage: (request: Request) => Promise<Response>,
  onCall: CallListener,
): (request: Request) => Promise<Response> {
  const isHttps = context.settings.baseUrl.startsWith('https:');
  const answer = async (request: Request): Promise<Response> => {
    try {
      refuseTwoHosts(request);
      const { path, query } = requestTarget(request.url);
      refusePrefetch(request, path);
      if (!path.startsWith(CALLS)) return await manage(request);
      const [username = '', ...rest] = path.slice(CALLS.length).split('/');
      const isCatalog = CATALOG.test(path) && request.method !== 'OPTIONS';
      const response = isCatalog
        ? withCors(await manage(request))
        : await handleCall(context, request, { username, slug: rest.join('/'), query });
      if (isHttps) response.headers.set(...HTTPS_ONLY);
      return response;
    } catch (error) {
      return error instanceof Refusal ? refusalResponse(error) : bugResponse(context.reportBug(error));
    }
  };
  return async (request) => {
    const arrivedAtMs = performance.now();
    const response = await answer(request);
    if (isCall(request)) onCall(arrivedAtMs, response);
    return response;
  };
}

/** Not for a preflight request, and not for the list of callable endpoints. */
function isCall({ method, url }: Request): boolean {
  if (method === 'OPTIONS') return false;
  const { path } = requestTarget(url);
  return path.startsWith(CALLS) && !CATALOG.test(path);
}

/** Bun accepts two Host headers. A proxy in front of the hub may have used the other one. */
function refuseTwoHosts({ headers }: Request): void {
  if (headers.get('host')?.includes(','))
    throw refuse('invalid_argument', 'a request with one Host header expected');
}

function refusePrefetch({ headers }: Request, path: string): void {
  if (refusesPrefetch(path) && isPrefetch((name) => headers.get(name)))
    throw refuse('forbidden', PREFETCH_REFUSED);
}

type Answer = (request: Request) => Promise<Response>;

const CALL_ROUTE = '/v1/{username}/{slug}';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const SERVER_FAULT = 500;

/**
 * Adds a span to the answers of calls and changes, from the request to the last byte. The caller's trace continues in it. Pages and
 * reads are not traced. Spans contain no paths, because some paths contain tokens.
 */
function tracedAnswers(tracer: Tracer, answer: Answer): Answer {
  return async (request) => {
    const route = tracedRoute(request);
    if (route === undefined) return await answer(request);
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const span = tracer.start({
      name: `${method} ${route}`,
      isServer: true,
      parent: readTraceparent(request.headers.get('traceparent')),
      facts: { 'http.request.method': method, 'http.route': route },
    });
    const response = await tracer.within(span.context, () => answer(request));
    const end = () => span.end(factsOf(response));
    if (response instanceof StreamedResponse) void response.ended.then(end);
    else end();
    return response;
  };
}

function tracedRoute({ method, url }: Request): string | undefined {
  if (method === 'OPTIONS') return undefined;
  const { path } = requestTarget(url);
  if (path.startsWith(CALLS)) return CALL_ROUTE;
  return method === 'GET' || method === 'HEAD' ? undefined : routeOf(method, path);
}

function factsOf({ status, headers }: Response): SpanFacts {
  return {
    'http.response.status_code': status,
    'svc.execution.id': headers.get('x-execution-id') ?? undefined,
    'svc.pipeline.run.id': headers.get('x-run-id') ?? undefined,
    ...(status < SERVER_FAULT ? {} : { 'error.type': String(status) }),
  };
}

/** The statuses for a caller that is not signed in, not allowed, or rate limited. */
const REFUSED = new Set([401, 403, 429]);
const LINK = /^\/(?:login|join|auth\/email-change)\//;
/** An unknown, used or expired link. */
const DEAD = new Set([404, 410]);

/** Logs one entry for each refused credential, so that an operator notices attempts to break in. */
function logRefused(logger: Logger, request: Request, status: number, addressOf: () => string): void {
  if (!REFUSED.has(status) && !DEAD.has(status)) return;
  const { path } = requestTarget(request.url);
  if (REFUSED.has(status) || LINK.test(path))
    logger.info({ status, method: request.method, path, address: addressOf() }, 'refused');
}
