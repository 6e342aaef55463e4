import { PLAN_LIMITS, PLANS } from '@svc/core/plan/plans';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Clock } from '../platform/world.ts';
import { UPLOAD_UNFINISHED } from './artifact-ports.ts';
import type { Artifacts } from './store/artifact-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface SweepDeps {
  readonly artifacts: Artifacts;
  readonly files: FileStore;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Removes the files that a plan keeps no longer, and makes records and files agree again after a crash: uploads of ended executions end
 * as missing, and a file without a record is removed (decision 72, artifacts). The signal stops it between two executions.
 *
 * A record is stored before its file is written, so a file without one is always left over.
 */
export async function sweepArtifacts(
  { artifacts, files, clock }: SweepDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const plan of PLANS) {
    const { artifactDays } = PLAN_LIMITS[plan];
    if (artifactDays === undefined) continue;
    const beforeMs = clock.nowMs() - artifactDays * DAY_MS;
    const reason = `the plan ${plan} keeps files for ${artifactDays} days`;
    while (!signal.aborted && (await artifacts.endSomeExpired(plan, beforeMs, reason)));
  }
  while (!signal.aborted && (await artifacts.endSomeUnfinished(UPLOAD_UNFINISHED)));
  while (!signal.aborted && (await artifacts.removeSomeOrphans()));
  for await (const executionId of files.executions()) {
    if (signal.aborted) return;
    const records = await artifacts.of(executionId);
    if (records.length === 0) await files.removeExecution(executionId);
    else
      for (const { id } of records.filter(({ state }) => state === 'missing'))
        await files.remove({ executionId, id });
  }
}
