import { accessToCall, accessToControl, type Caller } from '@svc/core/execution/access';
import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import { refuse } from '@svc/core/refusal';
import type { Accounts } from '../../../accounts/store/account-store.ts';
import type { Credentials } from '../../../accounts/store/credentials.ts';
import type { AgentDirectory } from '../../../agents/directory-ports.ts';
import type { KnownAgents } from '../../../agents/store/agent-store.ts';
import { limitRate, refuseCallBy } from '../../../calls/access.ts';
import { idempotencyKey } from '../../../calls/request-parts.ts';
import { refuseUsedUp } from '../../../executions/quota-claim.ts';
import type { Handlers } from '../../../http/handler.ts';
import { callerOfPrincipal, seesSlug } from '../../../http/principal.ts';
import type { CallLookups } from '../../../lookups/caches.ts';
import type { RateLimiter } from '../../../platform/rate-limiter.ts';
import type { Random } from '../../../platform/world.ts';
import type { Secrets } from '../../../secrets/store/secret-store.ts';
import type { RegisteredPipeline } from '../../pipeline-ports.ts';
import { checkedInput } from '../../webhook/read-input.ts';
import { credentialText, runClaims } from '../../webhook/run-claims.ts';
import { rerunFailed } from '../rerun-failed.ts';
import type { RunDriver } from '../run-driver.ts';
import type { PipelineRun, RunFacts, WithRun } from '../run-ports.ts';
import { startRun } from '../start-run.ts';
import type { RunStarted } from '../store-run.ts';
import { acceptRepeatedRun, type RepeatedRunDeps } from './repeated-run.ts';
import { acceptedRun, runLinks } from './run-links.ts';
import { visibleRun } from './visible-run.ts';

export interface RunStartDeps extends RepeatedRunDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly agents: AgentDirectory;
  readonly credentials: Credentials;
  readonly driver: RunDriver;
  readonly knownAgents: KnownAgents;
  readonly limiter: RateLimiter;
  readonly lookups: CallLookups;
  readonly random: Random;
  readonly secrets: Secrets;
}

/** The routes that start runs, besides calls of a pipeline's URL. */
export function runStartRoutes(deps: RunStartDeps): Pick<Handlers, 'startPipelineRun' | 'rerunPipelineRun'> {
  return {
    async startPipelineRun({ request, body: { pipeline: slug, input }, acting }) {
      const { workspace, access } = acting;
      const target = await deps.lookups.pipeline(workspace.id, slug);
      const caller = callerOfPrincipal(acting);
      if (target === undefined || !seesSlug(acting, slug))
        throw refuse('not_found', 'there is no such pipeline');
      refuseCallBy(caller, slug);
      limitRate(deps, caller, workspace.plan, request);
      const checked = checkedInput(target.pipeline.trigger, input);
      await refuseUsedUp(deps, workspace);
      const by = { callerKind: caller.kind, callerId: caller.id } as const;
      const origin = { pipeline: target, by, request: checked };
      const started = await startRun(deps, {
        ...by,
        workspace,
        target,
        input: checked,
        trigger: access.kind === 'session' ? 'dashboard' : 'call',
        readTokenHash: undefined,
        withRun: withRun(deps, request, origin),
      });
      return await begun(deps, started, origin);
    },
    async rerunPipelineRun({ request, caller, parameters: { id }, body: { from, input } }) {
      const old = await visibleRun(deps, caller, id, undefined, accessToControl);
      const { who, workspace } = await rerunner(deps, caller, old);
      limitRate(deps, who, workspace.plan, request);
      await refuseUsedUp(deps, workspace);
      const by = { callerKind: who.kind, callerId: who.id } as const;
      const pipeline = { id: old.pipelineId, workspaceId: old.workspaceId };
      // No input is a list, so the key of a call cannot match a rerun.
      const origin = { pipeline, by, request: ['rerun', old.id, from, input] };
      const started = await rerunFailed(deps, {
        ...by,
        old,
        workspace,
        rights: who.rights,
        from,
        secrets: input,
        readTokenHash: undefined,
        withRun: withRun(deps, request, origin),
      });
      return await begun(deps, started, origin);
    },
  };
}

/** The idempotency claim of a request and its caller (decision 23, idempotency). */
interface RunOrigin {
  readonly pipeline: Pick<RegisteredPipeline, 'id' | 'workspaceId'>;
  readonly by: Pick<RunFacts, 'callerKind' | 'callerId'>;
  readonly request: JsonValue;
}

function withRun(
  { vault, clock }: RunStartDeps,
  request: Request,
  { pipeline, by, ...origin }: RunOrigin,
): WithRun {
  const key = idempotencyKey(request);
  const call = {
    keys: key === undefined ? [] : [key],
    credential: credentialText(by),
    request: origin.request,
  };
  return { claims: runClaims(vault, pipeline, call, clock.nowMs()), sealedRequest: undefined };
}

async function begun(deps: RunStartDeps, started: RunStarted, origin: RunOrigin): Promise<Response> {
  return started.kind === 'started'
    ? acceptedRun(started.run, runLinks(deps, started.run.id))
    : await acceptRepeatedRun(deps, { ...started, ...origin });
}

/**
 * Access to a run does not allow a rerun; the caller must be allowed to call the pipeline. The scope of a key may be
 * narrower by now, and the slug may belong to another pipeline.
 */
async function rerunner(
  deps: RunStartDeps,
  caller: Caller,
  { workspaceId, pipelineId, ...old }: PipelineRun,
) {
  const workspace = await deps.accounts.workspaceById(workspaceId);
  const { slug } = (await deps.pipelines.byId(pipelineId))?.pipeline ?? old;
  const access = accessToCall(caller, { workspaceId, slug, public: false });
  if (caller.kind === 'anonymous' || access !== 'allowed' || workspace === undefined)
    throw refuse('not_found', 'there is no such pipeline run');
  return { who: caller, workspace };
}
