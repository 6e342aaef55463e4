import { join } from 'node:path';
import { hasEnded } from '@svc/core/execution/state';
import type { Logger } from 'pino';
import type { HubConfig } from '../config.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { FolderFiles } from '../platform/files/folder-files.ts';
import { repeat } from '../platform/repeat.ts';
import type { Clock } from '../platform/world.ts';
import { Spool } from '../spool/spool.ts';
import { sweepSpool } from '../spool/sweep-spool.ts';
import type { Store } from './create-store.ts';
import type { MasterKeys } from './master-key.ts';
import { filesInObjectStore } from './object-store.ts';

const SWEEP_MS = 60 * 60 * 1000;

interface SpoolParts {
  readonly config: Pick<HubConfig, 'artifactsDir' | 'databaseUrl' | 'hasArtifactsDir' | 's3'>;
  readonly store: Pick<Store, 'approvals' | 'artifacts' | 'executions'>;
  readonly clock: Clock;
  readonly masterKeys: () => MasterKeys;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The bodies that wait for approval: beside the artifacts, in a folder whose name is no execution. */
export function openSpool({ config, store, clock, masterKeys, logger }: SpoolParts) {
  const { artifacts, approvals } = store;
  const files: FileStore =
    config.s3 === undefined
      ? new FolderFiles(join(config.artifactsDir, 'spool'))
      : filesInObjectStore('spool', config.s3, masterKeys, (problem) =>
          logger.warn({ err: problem }, 'the object store failed'),
        );
  const spool = new Spool({
    ...{ files, clock },
    usedBytes: async (id) => (await artifacts.usedBytes(id)) + (await approvals.keptBytes(id)),
    isOfOneHub: config.databaseUrl !== undefined && !config.hasArtifactsDir && config.s3 === undefined,
  });
  return { files, spool };
}

/**
 * Removes the body of a call when its execution ends, however it ends. A sweep at the start and once an hour removes what a crash left.
 * Returns a function that stops it.
 */
export function startSpoolSweeps(
  { store, clock, logger, events }: Omit<SpoolParts, 'masterKeys'> & { readonly events: EventStream },
  { files, spool }: ReturnType<typeof openSpool>,
): () => void {
  const onProblem = (err: unknown) => logger.warn({ err }, 'the spool is swept again in an hour');
  const remove = (executionId: string) => void spool.remove(executionId).catch(onProblem);
  // Most executions have no body, and an object store is asked for none of them.
  const removeIfKept = (executionId: string) =>
    void store.executions
      .find(executionId)
      .then((execution) => execution?.files && spool.remove(executionId))
      .catch(onProblem);
  events.subscribe('execution_ended', ({ execution }) => {
    if (execution.files !== undefined) remove(execution.id);
  });
  events.subscribe('execution_withdrawn', ({ executionId }) => removeIfKept(executionId));
  events.subscribe('approval_closed', ({ approval, state }) => {
    if (hasEnded(state)) removeIfKept(approval.executionId);
  });
  const stopping = new AbortController();
  const sweep = () => sweepSpool({ ledger: store.executions, files, clock }, stopping.signal);
  const stopSweeps = repeat(clock, SWEEP_MS, sweep, onProblem);
  return () => {
    stopping.abort();
    stopSweeps();
  };
}
