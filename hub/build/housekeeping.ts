import { HUB_HEARTBEAT_MS } from '@svc/core/execution/recovery';
import type { Logger } from 'pino';
import { disconnectRevoked } from '../accounts/revoke-tokens.ts';
import { EXPIRY_SWEEP_MS, expireApprovals } from '../approvals/expire.ts';
import type { Recovery } from '../dispatch/recover-executions.ts';
import { tellEndedRuns } from '../hosted/ended-runs.ts';
import type { RunRecovery } from '../pipelines/runs/recover-runs.ts';
import { repeat } from '../platform/repeat.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';

const SWEEP_MS = 60 * 60 * 1000;
/** Another hub, or `svc admin`, may have ended what streams here were asked for with: at most so long ago. */
const REVIEW_MS = 2_500;
/** Another hub may have run a step of a run that this one has, or decided on it. */
const RUNS_MS = 1_000;
/** A read of statistics goes through all ends that were noted since. */
const FOLD_MS = 1_000;

export interface Household {
  readonly store: Store;
  readonly context: Pick<
    HubContext,
    | 'clock'
    | 'lookups'
    | 'openStreams'
    | 'removals'
    | 'credentials'
    | 'agents'
    | 'runnerTokens'
    | 'hosts'
    | 'runs'
    | 'approvals'
    | 'changes'
    | 'driver'
    | 'elsewhere'
  > &
    Parameters<typeof expireApprovals>[0];
  readonly recovery: Recovery;
  readonly runRecovery: RunRecovery;
  readonly logger: Logger;
}

/** What a hub does by itself, until the returned function is called. */
export function keepHouse({ store, context, recovery, runRecovery, logger }: Household): () => void {
  const { clock, lookups, openStreams, removals, elsewhere } = context;
  const onProblem = (err: unknown) => logger.warn({ err }, 'housekeeping is tried again');
  const beat = async () => {
    lookups.forgetWorkspaces();
    lookups.forgetEndpoints();
    elsewhere?.agents.forgetAll();
    await recovery.beat();
    await disconnectRevoked(context);
    await recovery.takeOver();
    await recovery.takeFromOthers();
    await tellEndedRuns(context);
    await runRecovery.takeOver();
  };
  const review = async () => {
    lookups.forgetKeys();
    await openStreams.reviewHere();
  };
  const beating = repeat(clock, HUB_HEARTBEAT_MS, beat, (err) => {
    recovery.lookAnew();
    runRecovery.lookAnew();
    onProblem(err);
  });
  const counted = new AbortController();
  const counting = repeat(clock, SWEEP_MS, () => store.countEarlier(counted.signal), onProblem);
  const folding = repeat(clock, FOLD_MS, () => store.foldCounts(counted.signal), onProblem);
  const sweeping = repeat(clock, SWEEP_MS, () => store.sweep(clock.nowMs()), onProblem);
  const expiring = repeat(clock, EXPIRY_SWEEP_MS, () => expireApprovals(context), onProblem);
  const removing = repeat(clock, HUB_HEARTBEAT_MS, () => removals.resume(), onProblem);
  const reviewing = repeat(clock, REVIEW_MS, review, onProblem);
  const lookingAtRuns = repeat(clock, RUNS_MS, () => context.driver.review(), onProblem);
  return () => {
    lookingAtRuns();
    reviewing();
    removals.stop();
    removing();
    expiring();
    beating();
    sweeping();
    counted.abort();
    counting();
    folding();
  };
}
