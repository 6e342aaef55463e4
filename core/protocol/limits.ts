const KIB = 1024;
const MIB = 1024 * KIB;

/** All limits of the connection between agent and hub (decisions 26, 29 and 30); bytes and milliseconds. */
export const LINK_LIMITS = {
  textFrameBytes: 1 * MIB,
  /** The size of `hello`, `config`, `welcome`, `registered` and `run`, which carry whole files or all values of a call. */
  largeTextFrameBytes: 4 * MIB,
  /** The longest event is a line of 64 KiB that JSON writes as `\u0000` throughout. */
  outputFrameBytes: 512 * KIB,
  /** The size at which output is split into frames; only a single longer event exceeds it. */
  outputTargetBytes: 256 * KIB,
  /** The endpoints of a file, and so of an agent: with the 1 MiB of a file they fit into one frame. */
  endpoints: 5_000,
  pipelines: 200,
  /** Executions of one agent that run, or have an unacknowledged ending. */
  inFlight: 10_000,
  args: 1_000,
  /** All secrets of a workspace, for a hosted runner. */
  secrets: 1_000,
  masks: 1_000,
  variables: 1_000,
  warnings: 1_000,
  agentNameChars: 64,
  stepChars: 64,
  mediaTypeChars: 300,
  messageChars: 2_000,
  urlChars: 2_048,
  definitionDepth: 8,
  /** Executions that one hosted runner runs at a time. */
  runnerCapacity: 10_000,
  /** Volumes of pipeline runs on one hosted runner. */
  volumes: 10_000,
  connectMs: 15_000,
  pingMs: 10_000,
  missedPings: 2,
  reconnectFirstMs: 1_000,
  reconnectMostMs: 15_000,
  /** The unacknowledged output of one execution in flight. */
  windowBytes: 4 * MIB,
  /** A piece of the body of a call on its way to an agent. */
  inputTargetBytes: 256 * KIB,
  inputFrameBytes: 512 * KIB,
  /** What of a body is on its way to an agent and not yet taken by the command: for one execution, and at least. */
  inputWindowBytes: 2 * MIB,
  inputLeastWindowBytes: 64 * KIB,
  /** The same for all executions of an agent together. */
  inputTotalBytes: 8 * MIB,
  /** Unacknowledged output of all executions of an agent, before it goes to disk. */
  unsentMemoryBytes: 8 * MIB,
  /** The same on disk; then commands wait. */
  unsentDiskBytes: 1024 * MIB,
} as const;
