import { accessToCall, type Caller, MAY_ONLY_VIEW } from '@svc/core/execution/access';
import type { Plan } from '@svc/core/plan/plans';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import type { RateLeft } from '@svc/core/plan/rate-limit';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import { ANONYMOUS, identify } from '../accounts/identify.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';

import type { CallLookups } from '../lookups/caches.ts';
import type { RegisteredPipeline } from '../pipelines/pipeline-ports.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';

export interface AccessDeps {
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly lookups: CallLookups;
  readonly settings: Settings;
}

/** The endpoint or pipeline of a path; undefined: there is none. */
export type CallTarget = FoundEndpoint | FoundPipeline;

export interface FoundEndpoint {
  readonly kind: 'endpoint';
  readonly workspace: Workspace;
  readonly target: RegisteredEndpoint;
}

export interface FoundPipeline {
  readonly kind: 'pipeline';
  readonly workspace: Workspace;
  readonly target: RegisteredPipeline;
}

/**
 * The caller of a target. A person without the second factor that their workspace demands is anonymous, so that public targets stay
 * open to them. All other targets answer with the refusal `lacking` (decision 100, second factor).
 */
export async function identifyForCall(
  deps: Parameters<typeof identify>[0],
  token: string | undefined,
): Promise<{ readonly caller: Caller; readonly lacking: Refusal | undefined }> {
  try {
    return { caller: await identify(deps, token), lacking: undefined };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'second_factor_required') throw error;
    return { caller: ANONYMOUS, lacking: error };
  }
}

/** Endpoints and pipelines of a workspace share one namespace (decision 2, slugs). */
export async function findTarget(
  { lookups }: AccessDeps,
  username: string,
  slug: string,
): Promise<CallTarget | undefined> {
  const workspace = await lookups.workspace(username);
  if (workspace === undefined) return undefined;
  const endpoint = await lookups.endpoint(workspace.id, slug);
  if (endpoint !== undefined) return { kind: 'endpoint', workspace, target: endpoint };
  const pipeline = await lookups.pipeline(workspace.id, slug);
  return pipeline && { kind: 'pipeline', workspace, target: pipeline };
}

/** The properties of a target that decide who may call it. */
export function callableOf(found: CallTarget) {
  const { workspaceId } = found.target;
  if (found.kind === 'endpoint') {
    const { slug, public: isPublic } = found.target.endpoint;
    return { workspaceId, slug, public: isPublic };
  }
  const { slug, trigger } = found.target.pipeline;
  return { workspaceId, slug, public: trigger.public && !isToBeSigned(found.target) };
}

/** The trigger has a secret: only signed calls are accepted, public or not (decision 43, calling a pipeline). */
export function isToBeSigned({ sealedSecret, pipeline }: RegisteredPipeline): boolean {
  return sealedSecret !== undefined || pipeline.trigger.secret !== undefined;
}

/** Absent, foreign and out-of-scope targets take one code path: an answer reveals nothing about others (decision 25, errors). */
export function refuseStrangers(caller: Caller, found: CallTarget | undefined): asserts found is CallTarget {
  const access = accessToCall(caller, found && callableOf(found));
  if (access === 'unauthorized') throw unauthorized();
  if (access === 'forbidden') throw refuse('forbidden', MAY_ONLY_VIEW);
  if (access === 'not_found' || found === undefined)
    throw refuse('not_found', 'there is no such user, endpoint or pipeline, or this key may not call it');
}

/** Refuses a member who may not run an endpoint or pipeline of their workspace (decision 87, rights per endpoint). */
export function refuseCallBy(caller: Extract<Caller, { kind: 'member' }>, slug: string): void {
  const access = accessToCall(caller, { workspaceId: caller.workspaceId, slug, public: false });
  if (access === 'forbidden') throw refuse('forbidden', MAY_ONLY_VIEW);
  if (access !== 'allowed') throw refuse('not_found', 'there is no such endpoint or pipeline');
}

/** The text is the same whether the target exists or not, and for every problem with the signature. */
export function unauthorized(): Refusal {
  const signed =
    'a webhook with a secret needs a signature made with it instead (X-Hub-Signature-256 or webhook-signature)';
  return refuse('unauthorized', `a valid API key is needed, in X-API-Key; ${signed}`);
}

/** The rate limit that a call counts in. */
export type Limited = Exclude<Caller, { kind: 'anonymous' }> | 'address' | { readonly signedFor: string };

/** Keys, members and signatures have their own limits; other callers share the limit of their address (decision 26, limits). */
export function limitRate(
  deps: AccessDeps,
  who: Limited,
  plan: Plan,
  request: Request,
): RateLeft | undefined {
  const { limiter, settings, addressOf } = deps;
  const { callsPerMinutePerKey, publicCallsPerMinutePerAddress } = PLAN_LIMITS[plan];
  const { rates } = settings;
  if (who !== 'address') {
    const name = 'signedFor' in who ? `signature:${who.signedFor}` : `${who.kind}:${who.id}`;
    return limiter.take(name, rateOf(rates.key, callsPerMinutePerKey));
  }
  const perMinute = rateOf(rates.public, publicCallsPerMinutePerAddress);
  if (perMinute === undefined) return undefined;
  return limiter.take(`address:${limitedNetwork(addressOf(request))}`, perMinute);
}

/**
 * Limits how often a caller reads the records of its calls: as often as it may call. The two are counted apart, so reading takes no
 * call away. Refuses with `rate_limited`.
 */
export function limitReads(
  { limiter, settings }: Pick<AccessDeps, 'limiter' | 'settings'>,
  who: Exclude<Caller, { kind: 'anonymous' }>,
  plan: Plan,
): void {
  const { callsPerMinutePerKey } = PLAN_LIMITS[plan];
  limiter.take(`reads of ${who.kind}:${who.id}`, rateOf(settings.rates.key, callsPerMinutePerKey));
}

function rateOf(setting: number | 'off' | undefined, ofPlan: number | undefined): number | undefined {
  return setting === 'off' ? undefined : (setting ?? ofPlan);
}
