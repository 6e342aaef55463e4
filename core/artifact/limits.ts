const MIB = 1024 * 1024;

/** The name in the record of an execution whose files could not be listed. */
export const OUTPUT_FOLDER = 'the output folder';

/** The limits of the files that commands leave (decision 72, artifacts). */
export const ARTIFACT_LIMITS = {
  patterns: 20,
  patternChars: 200,
  /** Files of one execution. */
  files: 500,
  /** Files of one execution that are named as missing; further ones are counted by the last. */
  missing: 100,
  /** Files and folders that the agent looks at in one output folder. */
  entries: 100_000,
  depth: 32,
  nameBytes: 512,
  reasonChars: 200,
  /** The largest body of one request of an upload. Proxies before a hub often refuse more than 1 or 2 MiB. */
  chunkBytes: MIB,
  /** An agent gives up an upload after this time without progress. */
  giveUpMs: 15 * 60_000,
  /** The executions of an agent whose files are sent at once. Each has a few chunks in memory. */
  sendingExecutions: 4,
  /** What an execution sends before others that wait get its turn. */
  turnBytes: 8 * MIB,
  /** What a file takes of a turn besides its bytes, because it needs requests of its own. */
  fileCostBytes: MIB / 4,
} as const;
