import { PLAN_LIMITS } from '@svc/core/plan/plans';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Clock } from '../platform/world.ts';
import { UPLOAD_UNFINISHED } from './artifact-ports.ts';
import {
  type ArtifactKey,
  type Artifacts,
  type ExpiredArtifact,
  SWEPT_AT_ONCE,
  type SweptArtifact,
} from './store/artifact-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface SweepDeps {
  readonly artifacts: Artifacts;
  readonly files: FileStore;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Removes the files that a plan no longer keeps, and makes records and files agree again after a crash: uploads of ended executions end
 * as missing, and a file without a record is removed (decision 72, artifacts). The signal stops it between two executions.
 *
 * A record is stored before its file is written, so a file without one is always left over.
 */
export async function sweepArtifacts(
  { artifacts, files, clock }: SweepDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await artifacts.endSomeUnfinished(UPLOAD_UNFINISHED)));
  await sweepRecords({ artifacts, clock }, signal);
  for await (const executionId of files.executions()) {
    if (signal.aborted) return;
    const records = await artifacts.of(executionId);
    if (records.length === 0) await files.removeExecution(executionId);
    else
      for (const { id } of records.filter(({ state }) => state === 'missing'))
        await files.remove({ executionId, id });
  }
}

/**
 * Goes through all records in the order of their keys, page by page, where reads delay no call. A hub of an earlier version removes
 * executions without their records.
 */
async function sweepRecords(
  { artifacts, clock }: Pick<SweepDeps, 'artifacts' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  let last: ArtifactKey | undefined = { executionId: '', id: 0 };
  while (last !== undefined && !signal.aborted) {
    const beganAtMs = performance.now();
    const page = await artifacts.behind(last);
    const orphans = page.filter(({ hasExecution }) => !hasExecution);
    await artifacts.removeOrphans([...new Set(orphans.map(({ executionId }) => executionId))]);
    await artifacts.expire(page.flatMap((record) => expiredOf(record, clock.nowMs())));
    last = page.length < SWEPT_AT_ONCE ? undefined : page.at(-1);
    // Half of the time is left to other reads.
    await Bun.sleep(performance.now() - beganAtMs);
  }
}

/** The file if its plan keeps it no longer. */
function expiredOf(
  { executionId, id, state, createdAtMs, plan, hasExecution }: SweptArtifact,
  nowMs: number,
): ExpiredArtifact[] {
  const days = plan && PLAN_LIMITS[plan].artifactDays;
  if (plan === undefined || days === undefined || !hasExecution) return [];
  if (state !== 'stored' || createdAtMs >= nowMs - days * DAY_MS) return [];
  return [{ executionId, id, plan, reason: `the plan ${plan} keeps files for ${days} days` }];
}
