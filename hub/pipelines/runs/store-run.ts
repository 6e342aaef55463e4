import type { KnownEndpoints } from '@svc/core/pipeline/definition/check-call';
import { secretFields } from '@svc/core/pipeline/input/secret-fields';
import type { Graph } from '@svc/core/pipeline/run/graph';
import type { RetainedRun } from '@svc/core/pipeline/run/new-run';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../../accounts/account-ports.ts';
import { isMaybeStored, untilAnswered } from '../../platform/until-answered.ts';
import type { Clock, Vault } from '../../platform/world.ts';
import type { RunDriver } from './run-driver.ts';
import { recordInput } from './run-input.ts';
import type { NewRunParts, PipelineRun, RunFacts, WithRun } from './run-ports.ts';
import type { PipelineRuns } from './store/run-store.ts';

export type StoreRunDeps = { readonly clock: Clock; readonly vault: Vault } & {
  readonly runs: PipelineRuns;
} & {
  readonly driver: Pick<RunDriver, 'begin' | 'takeUp'>;
  readonly reportBug: (error: unknown) => unknown;
};

/** The run is stored and started; or it repeats a run, whose `requestHash` this is. */
export type RunStarted =
  | { readonly kind: 'started'; readonly run: PipelineRun }
  | { readonly kind: 'repeated'; readonly runId: string; readonly requestHash: string };

/** A new run. */
export interface FreshRun {
  readonly run: RunFacts;
  readonly state: RetainedRun;
  readonly graph: Graph;
  /** The endpoints of its steps. */
  readonly endpoints: KnownEndpoints;
}

/** The caller of the run, and the data stored with it. */
interface RunContext {
  readonly workspace: Pick<Workspace, 'plan'>;
  readonly withRun: WithRun;
}

/**
 * Stores a new run and starts it. When the answer of the store is lost, it tries once more; the second write has no
 * effect.
 *
 * @throws `concurrency_limited` when the workspace has reached the plan's limit of open runs; `unavailable`
 */
export async function storeRun(
  deps: StoreRunDeps,
  fresh: FreshRun,
  { workspace: { plan }, withRun }: RunContext,
): Promise<RunStarted> {
  const { runs, driver, reportBug } = deps;
  const { run, state, graph } = fresh;
  const { openRuns } = PLAN_LIMITS[plan];
  const parts = { ...partsOf(deps, fresh, withRun), maxOpen: openRuns };
  const start = () => runs.start(run, state, parts);
  const stored = await start().catch(async (error: unknown) => {
    if (!isMaybeStored(error)) throw error;
    return await start().catch((again: unknown) => {
      resolveUncertainRun(deps, fresh, parts).catch(reportBug);
      throw again;
    });
  });
  if (stored.kind === 'repeated') return stored;
  if (stored.kind === 'too_many_open') {
    const message = `${openRuns} pipeline runs of this workspace have not ended, as many as its plan allows`;
    throw refuse('concurrency_limited', message, { limit: openRuns });
  }
  driver.begin(run, state, graph);
  return { kind: 'started', run: { ...run, head: state.head, cancelAskedAtMs: undefined } };
}

/** A signed request is kept unchanged, unless it contains the value of a secret argument. */
function partsOf(
  { vault }: StoreRunDeps,
  { run, state, graph, endpoints }: FreshRun,
  { claims, sealedRequest }: WithRun,
): Omit<NewRunParts, 'maxOpen'> {
  const secret = secretFields(graph, endpoints);
  const input = recordInput(vault, run, state.input, secret);
  return { claims, input, sealedRequest: secret.size === 0 ? sealedRequest : undefined };
}

/**
 * The caller got a refusal although the run may be stored. With an idempotency key it starts, because a retry finds it. Without
 * one a retry would start a second run, so this one is cancelled before it starts.
 */
async function resolveUncertainRun(
  { runs, clock, driver }: StoreRunDeps,
  { run, state }: FreshRun,
  parts: NewRunParts,
): Promise<void> {
  const stored = await untilAnswered(clock, () => runs.start(run, state, parts));
  if (stored.kind !== 'stored') return;
  if (parts.claims.length === 0) await untilAnswered(clock, () => runs.askCancel(run.id, clock.nowMs()));
  await driver.takeUp(run.id);
}
