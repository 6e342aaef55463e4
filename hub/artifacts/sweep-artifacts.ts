import type { FileStore } from '../platform/files/file-store.ts';
import { UPLOAD_UNFINISHED } from './artifact-ports.ts';
import type { Artifacts } from './store/artifact-store.ts';

/**
 * Makes records and files agree again after a crash: uploads of ended executions end as missing, and a file without a record is removed
 * (decision 72, artifacts). The signal stops it between two executions.
 *
 * A record is stored before its file is written, so a file without one is always left over.
 */
export async function sweepArtifacts(
  { artifacts, files }: { readonly artifacts: Artifacts; readonly files: FileStore },
  signal: AbortSignal,
): Promise<void> {
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
