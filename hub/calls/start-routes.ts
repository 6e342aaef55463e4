import { readCallParts } from '@svc/core/api/call-parts';
import { refuseFields } from '@svc/core/api/field-problem';
import { isForm } from '@svc/core/api/form/form-reader';
import type { Approval } from '@svc/core/approval/approval';
import { formLimit } from '@svc/core/endpoint/file-arguments';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import type { ExecutionState } from '@svc/core/execution/state';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { CallRequest, Execution } from '../executions/execution-ports.ts';
import { acceptedResponse, executionLinks } from '../executions/http/links.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { callerOfPrincipal, seesSlug } from '../http/principal.ts';
import { refuseSimpleRequest } from '../http/same-site.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { objectResponse } from '../platform/http/json-response.ts';
import type { Settings } from '../platform/settings.ts';
import { refuseCallBy } from './access.ts';
import { pendingBody } from './answer-call.ts';
import { type CallDeps, type Called, callEndpoint } from './call-endpoint.ts';
import { idempotencyKey } from './request-parts.ts';

export interface CallStartDeps extends CallDeps {
  readonly addressOf: (request: Request) => string;
  readonly keepOpen: (request: Request) => void;
  readonly linkTokens: LinkTokens;
  readonly lookups: CallLookups;
  readonly settings: Settings;
}

type Routes = Pick<Handlers, 'startExecution' | 'startExecutionWithFiles' | 'runAgain'>;

/** Runs an endpoint for a member, who reads the output at the URLs in the answer (decision 14, nothing runs before its record). */
export function startRoute(deps: CallStartDeps): Routes {
  return {
    async startExecution({ request, body: { endpoint: slug, args }, acting }) {
      const target = await deps.lookups.endpoint(acting.workspace.id, slug);
      return await start(deps, { request, acting, target, args });
    },
    async startExecutionWithFiles({ request, parameters: { name }, acting }) {
      refuseSimpleRequest(acting, request);
      const target = await deps.lookups.endpoint(acting.workspace.id, name);
      return await startWithFiles(deps, { request, acting, target });
    },
    async runAgain({ request, body: { args }, acting, parameters: { id } }) {
      const execution = await deps.ledger.find(id);
      if (execution?.workspaceId !== acting.workspace.id || !seesSlug(acting, execution.slug))
        throw refuse('not_found', 'there is no such execution');
      const target = await deps.endpoints.byId(execution.endpointId);
      return await start(deps, {
        request,
        acting,
        target,
        args: { ...valuesOf(execution, args), ...args },
      });
    },
  };
}

interface Wanted {
  readonly request: Request;
  readonly acting: Acting;
  /** Undefined: the endpoint does not exist, or not any more. */
  readonly target: RegisteredEndpoint | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

async function start(deps: CallStartDeps, wanted: Wanted): Promise<Response> {
  const target = existing(wanted);
  const values = collectValues({ query: [], body: wanted.args }, target.endpoint.args);
  return answerStarted(deps, await call(deps, { ...wanted, target, values }));
}

/**
 * Starts the endpoint with the files of a form (decision 76, files of a call), and answers when they have arrived: an answer that ends
 * early would end the upload.
 */
async function startWithFiles(deps: CallStartDeps, wanted: Omit<Wanted, 'args'>): Promise<Response> {
  const { request, acting } = wanted;
  const target = existing(wanted);
  const { slug } = target.endpoint;
  const planBytes = PLAN_LIMITS[acting.workspace.plan].stdinBytes;
  if (formLimit(target.endpoint, planBytes) === undefined)
    throw refuse('invalid_argument', `"${slug}" takes no file: POST /executions runs it`);
  if (!isForm(request)) throw refuse('unsupported_media_type', 'a form (multipart/form-data) expected');
  const { values, input } = await readCallParts(request, '', target.endpoint, planBytes);
  const called = await call(deps, { request, acting, target, values, input });
  const uploaded = called.kind === 'running' ? called.running.input?.settled : undefined;
  if (uploaded !== undefined) {
    deps.keepOpen(request);
    await uploaded;
  }
  return answerStarted(deps, called);
}

/** An endpoint that the member may not view is as absent as one that is not there (decision 87, rights per endpoint). */
function existing({ target, acting }: Pick<Wanted, 'target' | 'acting'>): RegisteredEndpoint {
  if (target === undefined || !seesSlug(acting, target.endpoint.slug))
    throw refuse('not_found', 'there is no such endpoint');
  refuseCallBy(callerOfPrincipal(acting), target.endpoint.slug);
  return target;
}

interface MemberCall
  extends Pick<Wanted, 'request' | 'acting'>,
    Pick<CallRequest, 'target' | 'values' | 'input'> {}

function call(deps: CallStartDeps, { request, acting, ...asked }: MemberCall): Promise<Called> {
  const { member, workspace, access } = acting;
  return callEndpoint(deps, {
    ...asked,
    workspace,
    method: 'POST',
    trigger: access.kind === 'session' ? 'dashboard' : 'call',
    callerKind: 'member',
    callerId: member.userId,
    from: deps.addressOf(request),
    asynchronous: true,
    readTokenHash: undefined,
    idempotencyKey: idempotencyKey(request),
  });
}

function answerStarted(deps: CallStartDeps, called: Called): Response {
  if (called.kind === 'pending') return pendingExecution(deps, called.approval);
  const [id, status] = placeOf(called);
  return acceptedResponse(id, status, executionLinks(deps.settings.baseUrl, id));
}

/** The id and the state of the execution. */
function placeOf(called: Exclude<Called, { kind: 'pending' }>): [id: string, status: ExecutionState] {
  switch (called.kind) {
    case 'queued':
      return [called.execution.id, 'queued'];
    case 'running':
      return [called.running.live.id, 'running'];
    case 'remote':
      return [called.execution.id, 'running'];
    case 'repeated':
      return [called.execution.id, called.execution.state];
  }
}

/** The stored values. A secret value is not stored, so it has to be given again. */
function valuesOf({ args }: Execution, given: object): Record<string, string> {
  const recorded = Object.entries(JSON.parse(args) as Record<string, string | null>);
  const missing = recorded.filter(([name, value]) => value === null && !Object.hasOwn(given, name));
  if (missing.length > 0)
    throw refuseFields(
      missing.map(([name]) => ({
        path: ['args', name],
        message: 'it was secret and is not stored: give it again',
      })),
    );
  return Object.fromEntries(recorded.filter((pair): pair is [string, string] => pair[1] !== null));
}

/** The answer for a call that is pending approval. */
function pendingExecution(deps: CallStartDeps, approval: Approval): Response {
  const links = executionLinks(deps.settings.baseUrl, approval.executionId);
  const body = {
    ...pendingBody(deps, approval),
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
  };
  return objectResponse(body, 202, {
    'X-Execution-Id': approval.executionId,
    Location: `${deps.settings.baseUrl}/approvals/${approval.id}`,
  });
}
