import { stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { HUB_HEARTBEAT_MS } from '@svc/core/execution/recovery';
import type { Logger } from 'pino';
import { disconnectRevoked } from '../accounts/revoke-tokens.ts';
import { EXPIRY_SWEEP_MS, expireApprovals } from '../approvals/expire.ts';
import type { HubConfig } from '../config.ts';
import { deliverCancels } from '../dispatch/deliver-cancels.ts';
import type { Recovery } from '../dispatch/recover-executions.ts';
import { indexOutput } from '../executions/index-output.ts';
import { notifyEndedRuns } from '../hosted/ended-runs.ts';
import type { RunRecovery } from '../pipelines/runs/recover-runs.ts';
import { type Delivery, deliverMail } from '../platform/mail/deliver-mail.ts';
import { repeat } from '../platform/repeat.ts';
import type { Clock } from '../platform/world.ts';
import { type FireDeps, FireSchedules } from '../schedules/fire-schedules.ts';
import { tickEachMinute } from '../schedules/tick.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';

const SWEEP_MS = 60 * 60 * 1000;
/** The longest time that a stream continues after another hub, or `svc admin`, revoked its credential. */
const RECHECK_MS = 2_500;
/** Another hub may have run a step of a run of this hub, or decided on an approval. */
const RUNS_MS = 1_000;
/** A read of statistics scans all ends that were recorded since the last fold. */
const FOLD_MS = 1_000;
/** How often new executions are indexed. The index also stays ten seconds behind the present. */
const INDEX_MS = 1_000;

interface Household {
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
    | 'remoteHubs'
    | 'settings'
  > &
    Parameters<typeof expireApprovals>[0] &
    Parameters<typeof deliverCancels>[0];
  readonly recovery: Recovery;
  readonly runRecovery: RunRecovery;
  readonly logger: Logger;
}

/** Starts the periodic work of a hub. The returned function stops it. */
export function startHousekeeping({ store, context, recovery, runRecovery, logger }: Household): () => void {
  const { clock, lookups, openStreams, removals, remoteHubs } = context;
  const onProblem = (err: unknown) => logger.warn({ err }, 'housekeeping is tried again');
  const heartbeat = async () => {
    lookups.forgetWorkspaces();
    lookups.forgetEndpoints();
    remoteHubs?.agents.forgetAll();
    await recovery.heartbeat();
    await disconnectRevoked(context);
    await recovery.takeOver();
    await deliverCancels(context);
    await recovery.takeFromOthers();
    await notifyEndedRuns(context);
    await runRecovery.takeOver();
  };
  const recheck = async () => {
    lookups.forgetKeys();
    await openStreams.recheckHere();
  };
  const heartbeats = repeat(clock, HUB_HEARTBEAT_MS, heartbeat, (err) => {
    recovery.restartLeases();
    runRecovery.restartLeases();
    onProblem(err);
  });
  const counted = new AbortController();
  const count = async () => {
    await store.countEarlier(counted.signal);
    // Nothing is packed before all executions are counted.
    await store.packCounts(counted.signal);
  };
  const counting = repeat(clock, SWEEP_MS, count, onProblem);
  const folding = repeat(clock, FOLD_MS, () => store.foldCounts(counted.signal), onProblem);
  const indexing = context.settings.hasOutputSearch
    ? repeat(
        clock,
        INDEX_MS,
        () =>
          indexOutput({ index: store.outputIndex, clock, writes: () => store.figures.units }, counted.signal),
        onProblem,
      )
    : () => {};
  const sweeping = repeat(clock, SWEEP_MS, () => store.sweep(clock.nowMs()), onProblem);
  const expiring = repeat(clock, EXPIRY_SWEEP_MS, () => expireApprovals(context), onProblem);
  const removing = repeat(clock, HUB_HEARTBEAT_MS, () => removals.resume(), onProblem);
  const rechecking = repeat(clock, RECHECK_MS, recheck, onProblem);
  const pollingRuns = repeat(clock, RUNS_MS, () => context.driver.poll(), onProblem);
  return () => {
    pollingRuns();
    rechecking();
    removals.stop();
    removing();
    expiring();
    heartbeats();
    sweeping();
    counted.abort();
    counting();
    folding();
    indexing();
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The largest share of the memory that a checked file may have. The check jumps from page to page in one read. Of a file that does
 * not fit into memory it takes hours, in which the write-ahead log cannot be copied and grows without bound.
 */
const CHECKED_SHARE = 0.5;

/**
 * Checks a SQLite file for damage after the start and once a day, until the returned function is called; the store reports
 * damage. A file that is large for the memory of the machine is left to `svc admin check`. PostgreSQL checks each page that it
 * reads by itself: the full check is `svc admin check`.
 */
export function startStoreChecks(
  { databaseUrl, dataDir }: Pick<HubConfig, 'databaseUrl' | 'dataDir'>,
  store: Pick<Store, 'check'>,
  clock: Clock,
  logger: Pick<Logger, 'warn' | 'info'>,
  memoryBytes = totalmem(),
): () => void {
  if (databaseUrl !== undefined) return () => {};
  const check = async () => {
    const { size: bytes } = await stat(join(dataDir, 'svc.db'));
    if (bytes > CHECKED_SHARE * memoryBytes) {
      const message = 'the store is large for the memory of this machine: svc admin check looks for damage';
      logger.warn({ bytes, memoryBytes }, message);
      return;
    }
    const beganAtMs = performance.now();
    const findings = await store.check('quick');
    const durationMs = Math.round(performance.now() - beganAtMs);
    logger.info({ durationMs, findings: findings.length }, 'the store was checked for damage');
  };
  return repeat(clock, DAY_MS, check, (err) =>
    logger.warn({ err }, 'the store was not checked for damage, and will be in a day'),
  );
}

/** Fires schedules as each minute begins, until the returned function is called. */
export function startSchedules(context: FireDeps, logger: Logger): () => Promise<void> {
  const schedules = new FireSchedules(context);
  const onProblem = (err: unknown) => logger.warn({ err }, 'schedules are tried again');
  return tickEachMinute(context.clock, () => schedules.run(), onProblem);
}

/** Starts the delivery of mails. Undefined without a mail server: mails wait in the outbox. */
export function mailDelivery(
  config: HubConfig,
  store: Store,
  clock: Clock,
  logger: Logger,
): Delivery | undefined {
  if (config.smtpUrl === undefined) return undefined;
  return deliverMail({
    outbox: store.mailOutbox,
    clock,
    smtpUrl: config.smtpUrl,
    from: config.mailFrom,
    onProblem: (mail, problem) => logger.warn({ mail, problem }, 'a mail was not delivered'),
  });
}
