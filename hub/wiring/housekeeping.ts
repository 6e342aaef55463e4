import { HUB_BEAT_MS } from '@svc/core/execution/recovery';
import type { Logger } from 'pino';
import { disconnectRevoked } from '../engine/account/revoke-tokens.ts';
import { EXPIRY_SWEEP_MS, expireApprovals } from '../engine/approval/expire-approvals.ts';
import type { Recovery } from '../engine/recover-executions.ts';
import type { HubContext } from '../http/context.ts';
import type { Store } from '../store/create-store.ts';
import { repeat } from './repeat.ts';

const SWEEP_MS = 60 * 60 * 1000;
/** Another hub, or `svc admin`, may have ended what streams here were asked for with: at most so long ago. */
const REVIEW_MS = 2_500;

export interface Household {
  readonly store: Store;
  readonly context: Pick<
    HubContext,
    | 'clock'
    | 'hubId'
    | 'lookups'
    | 'openStreams'
    | 'removals'
    | 'credentials'
    | 'agents'
    | 'approvals'
    | 'changes'
  > &
    Parameters<typeof expireApprovals>[0];
  readonly recovery: Recovery;
  readonly logger: Logger;
}

/** What a hub does by itself, until the returned function is called. */
export function keepHouse({ store, context, recovery, logger }: Household): () => void {
  const { clock, hubId, lookups, openStreams, removals } = context;
  const onProblem = (err: unknown) => logger.warn({ err }, 'housekeeping is tried again');
  const beat = async () => {
    lookups.forgetWorkspaces();
    lookups.forgetEndpoints();
    await store.hubs.beat(hubId, clock.nowMs());
    await disconnectRevoked(context);
    await recovery.takeOver();
    await recovery.takeFromOthers();
  };
  const review = async () => {
    lookups.forgetKeys();
    await openStreams.review();
  };
  const beating = repeat(clock, HUB_BEAT_MS, beat, onProblem);
  const sweeping = repeat(clock, SWEEP_MS, () => store.sweep(clock.nowMs()), onProblem);
  const expiring = repeat(clock, EXPIRY_SWEEP_MS, () => expireApprovals(context), onProblem);
  const removing = repeat(clock, HUB_BEAT_MS, () => removals.goOn(), onProblem);
  const reviewing = repeat(clock, REVIEW_MS, review, onProblem);
  return () => {
    reviewing();
    removals.stop();
    removing();
    expiring();
    beating();
    sweeping();
  };
}
