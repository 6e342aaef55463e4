import { accessToCall, type Caller } from '@svc/core/execution/access';
import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import { refuse } from '@svc/core/refusal';
import { refuseUsedUp } from '../../engine/execution/quota-claim.ts';
import { rerunFailed } from '../../engine/pipeline/rerun-failed.ts';
import { startRun } from '../../engine/pipeline/start-run.ts';
import type { RunStarted } from '../../engine/pipeline/store-run.ts';
import type { PipelineRun, RunFacts, WithRun } from '../../engine/ports/pipeline-runs.ts';
import type { RegisteredPipeline } from '../../engine/ports/pipelines.ts';
import { limitRate } from '../call/access.ts';
import { idempotencyKey } from '../call/request-parts.ts';
import type { HubContext } from '../context.ts';
import type { Handlers } from '../routes/handler.ts';
import { checkedInput } from '../webhook/read-input.ts';
import { credentialOf, runClaims } from '../webhook/run-claims.ts';
import { acceptRepeatedRun } from './repeated-run.ts';
import { acceptedRun, runLinks } from './run-links.ts';
import { visibleRun } from './visible-run.ts';

/** What begins a run besides a call of the pipeline's URL. */
export function runStartRoutes(context: HubContext): Pick<Handlers, 'startPipelineRun' | 'rerunPipelineRun'> {
  return {
    async startPipelineRun({ request, body: { pipeline: slug, input }, acting }) {
      const { member, workspace, access } = acting;
      const target = await context.lookups.pipeline(workspace.id, slug);
      if (target === undefined) throw refuse('not_found', 'there is no such pipeline');
      const caller = {
        kind: 'member',
        id: member.userId,
        workspaceId: workspace.id,
        role: member.role,
      } as const;
      limitRate(context, caller, workspace.plan, request);
      const checked = checkedInput(target.pipeline.trigger, input);
      await refuseUsedUp(context, workspace);
      const by = { callerKind: caller.kind, callerId: caller.id } as const;
      const asked = { pipeline: target, by, request: checked };
      const started = await startRun(context, {
        ...by,
        workspace,
        target,
        input: checked,
        trigger: access.kind === 'session' ? 'dashboard' : 'call',
        readTokenHash: undefined,
        withRun: withRun(context, request, asked),
      });
      return await begun(context, started, asked);
    },
    async rerunPipelineRun({ request, caller, parameters: { id }, body: { from, input } }) {
      const old = await visibleRun(context, caller, id);
      const { who, workspace } = await rerunner(context, caller, old);
      limitRate(context, who, workspace.plan, request);
      await refuseUsedUp(context, workspace);
      const by = { callerKind: who.kind, callerId: who.id } as const;
      const pipeline = { id: old.pipelineId, workspaceId: old.workspaceId };
      // No input is a list: a key of a call does not stand for a rerun.
      const asked = { pipeline, by, request: ['rerun', old.id, from, input] };
      const started = await rerunFailed(context, {
        ...by,
        old,
        workspace,
        from,
        secrets: input,
        readTokenHash: undefined,
        withRun: withRun(context, request, asked),
      });
      return await begun(context, started, asked);
    },
  };
}

/** What makes two requests the same, and for whom (decision 23). */
interface Asked {
  readonly pipeline: Pick<RegisteredPipeline, 'id' | 'workspaceId'>;
  readonly by: Pick<RunFacts, 'callerKind' | 'callerId'>;
  readonly request: JsonValue;
}

function withRun({ vault, clock }: HubContext, request: Request, { pipeline, by, ...asked }: Asked): WithRun {
  const key = idempotencyKey(request);
  const call = { keys: key === undefined ? [] : [key], credential: credentialOf(by), request: asked.request };
  return { claims: runClaims(vault, pipeline, call, clock.nowMs()), sealedRequest: undefined };
}

async function begun(context: HubContext, started: RunStarted, asked: Asked): Promise<Response> {
  return started.kind === 'started'
    ? acceptedRun(started.run, runLinks(context, started.run.id))
    : await acceptRepeatedRun(context, { ...started, ...asked });
}

/**
 * Who may see a run may not begin another with it, unless the pipeline may be called: a key's scope may be narrower by now, and
 * its slug another pipeline's.
 */
async function rerunner(
  context: HubContext,
  caller: Caller,
  { workspaceId, pipelineId, ...old }: PipelineRun,
) {
  const workspace = await context.accounts.workspaceById(workspaceId);
  const { slug } = (await context.pipelines.byId(pipelineId))?.pipeline ?? old;
  const access = accessToCall(caller, { workspaceId, slug, public: false });
  if (caller.kind === 'anonymous' || access !== 'allowed' || workspace === undefined)
    throw refuse('not_found', 'there is no such pipeline run');
  return { who: caller, workspace };
}
