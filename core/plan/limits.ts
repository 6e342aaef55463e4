const KIB = 1024;
const MIB = 1024 * KIB;

/** Every limit that holds for all plans, once (reference 8, decisions 8, 9, 15 to 19, 26, 27); bytes, milliseconds, seconds, days. */
export const LIMITS = {
  requestBodyBytes: 1 * MIB,
  /** Of a body of the management API. */
  jsonDepth: 32,
  jsonValues: 20_000,
  configBytes: 1 * MIB,
  /** In UTF-16 code units; what is longer is a script. */
  commandChars: 32 * KIB,
  commandWords: 2_000,
  /** Placeholders and secret references in one command. */
  commandValues: 200,
  valueBytes: 64 * KIB,
  valuesTotalBytes: 128 * KIB,
  /** The value of one managed secret; those of one command count together as values do. */
  secretBytes: 64 * KIB,
  secretsPerWorkspace: 1_000,
  /** Calls of one endpoint that wait for a person: whoever may call it can ask no more of people at a time. */
  pendingApprovalsPerEndpoint: 100,
  patternChars: 1_000,
  patternStates: 1_000,
  /** What Linux takes as one argument of a program (MAX_ARG_STRLEN), less its final NUL. */
  argumentWordBytes: 128 * KIB - 1,
  lineBytes: 64 * KIB,
  bufferedOutputBytes: 1 * MIB,
  storedOutputBytes: 10 * MIB,
  transformInputBytes: 10 * MIB,
  transformMs: 5_000,
  /** Of the JSON between `parse` and `select`, in UTF-16 code units. */
  transformParsedChars: 64 * MIB,
  transformResultBytes: 10 * MIB,
  /** What a `select` may use while it runs. */
  transformMemoryBytes: 512 * MIB,
  /** jq takes its program on a stack of 64 KiB. */
  selectBytes: 16 * KIB,
  defaultTimeoutSec: 60,
  maxTimeoutSec: 86_400,
  defaultApprovalTimeoutMins: 30,
  maxApprovalTimeoutMins: 43_200,
  maxConcurrent: 1_000,
  maxChoices: 1_000,
  pipelineNodes: 1_000,
  pipelineEdges: 5_000,
  /** Of one input schema. */
  pipelineFields: 200,
  /** Of one condition, in UTF-16 code units. */
  expressionChars: 8 * KIB,
  /** Parentheses and negations inside one another. */
  expressionDepth: 64,
  /** What is kept of the result of a step for the nodes that refer to it. */
  stepResultBytes: 1 * MIB,
  /** The same of all steps of a run together: however wide it is, each still has what one argument takes. */
  runResultsBytes: 64 * MIB,
  maxRetries: 10,
  maxBackoffSec: 3_600,
  forwardCapSec: 120,
  killGraceMs: 5_000,
  drainAfterExitMs: 2_000,
  /** So soon a stream that has nothing to say yet says that it is there. */
  sseHeadMs: 1_000,
  sseSilenceMs: 15_000,
  recordsKeptDays: 30,
} as const;
