import type { Logger } from 'pino';
import type { Artifacts } from '../artifacts/store/artifact-store.ts';
import { sweepArtifacts } from '../artifacts/sweep-artifacts.ts';
import type { HubConfig } from '../config.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { FolderFiles } from '../platform/files/folder-files.ts';
import { repeat } from '../platform/repeat.ts';
import type { Clock } from '../platform/world.ts';
import type { MasterKeys } from './master-key.ts';
import { filesInObjectStore, noteObjectKeys } from './object-store.ts';

const SWEEP_MS = 60 * 60 * 1000;

interface ArtifactParts {
  readonly config: Pick<HubConfig, 'artifactsDir' | 'databaseUrl' | 'hasArtifactsDir' | 's3'>;
  readonly files: FileStore;
  readonly artifacts: Artifacts;
  readonly events: EventStream;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Where artifacts are. */
export function artifactFiles(
  config: Pick<HubConfig, 's3' | 'artifactsDir' | 'dataDir'>,
  masterKeys: () => MasterKeys,
  logger: Pick<Logger, 'warn'>,
): FileStore {
  const { s3, artifactsDir } = config;
  if (s3 === undefined) return new FolderFiles(artifactsDir);
  noteObjectKeys(config);
  return filesInObjectStore('artifacts', s3, masterKeys, (problem) =>
    logger.warn({ err: problem }, 'the object store failed'),
  );
}

/**
 * Keeps the files of artifacts in step with the records. They are removed with the record of their execution, and by a sweep at the start and once an hour if a crash
 * came between the two.
 */
export function startArtifacts({ config, files, artifacts, events, clock, logger }: ArtifactParts) {
  const onProblem = (err: unknown) => logger.warn({ err }, 'artifacts are swept again in an hour');
  if (config.databaseUrl !== undefined && !config.hasArtifactsDir && config.s3 === undefined)
    logger.warn(
      { folder: config.artifactsDir },
      'artifacts are kept in the folder of this hub alone: if several hubs share the database, set SVC_S3_ENDPOINT to an object store, or SVC_ARTIFACTS_DIR to a folder that they share',
    );
  events.subscribe('executions_removed', ({ executionIds }) => {
    for (const executionId of executionIds) files.removeExecution(executionId).catch(onProblem);
  });
  const stopping = new AbortController();
  const stopSweeps = repeat(
    clock,
    SWEEP_MS,
    () => sweepArtifacts({ artifacts, files, clock }, stopping.signal),
    onProblem,
  );
  const stop = () => {
    stopping.abort();
    stopSweeps();
  };
  return { stop };
}
