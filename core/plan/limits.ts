const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The limits that apply to every plan (reference 8, decisions 8, 9, 15 to 19, 26, 27), in bytes, milliseconds, seconds or
 * days.
 */
export const LIMITS = {
  requestBodyBytes: 1 * MIB,
  /** The size of a body in the management API. */
  jsonDepth: 32,
  jsonValues: 20_000,
  configBytes: 1 * MIB,
  /** In UTF-16 code units; a longer command should be a script. */
  commandChars: 32 * KIB,
  commandWords: 2_000,
  /** Placeholders and secret references in one command. */
  commandValues: 200,
  valueBytes: 64 * KIB,
  valuesTotalBytes: 128 * KIB,
  /** The items of one list of a call. */
  defaultListItems: 100,
  maxListItems: 1_000,
  /** The JSON Schema of one argument, or of the result of a transform, as JSON text. */
  jsonSchemaChars: 8 * KIB,
  /** The values inside one JSON value of a call; together with the length of its schema it bounds the time of a check. */
  argumentJsonValues: 5_000,
  /** The value of one managed secret; those of one command share the limit of values. */
  secretBytes: 64 * KIB,
  secretsPerWorkspace: 1_000,
  /** How many workspaces a person may own by creating them, unless the operator sets another limit. */
  ownWorkspaces: 5,
  /** Pending approvals of one endpoint, so that callers cannot flood the approvers. */
  pendingApprovalsPerEndpoint: 100,
  patternChars: 1_000,
  patternStates: 1_000,
  /** The longest argument of a program on Linux (MAX_ARG_STRLEN), without its final NUL. */
  argumentWordBytes: 128 * KIB - 1,
  lineBytes: 64 * KIB,
  /** The body that a command reads from stdin, unless its endpoint says otherwise, and at most. */
  defaultStdinBytes: 100 * MIB,
  maxStdinBytes: 10 * 1024 * MIB,
  /** One file of a call, unless its argument says otherwise, and at most. */
  defaultFileBytes: 100 * MIB,
  maxFileBytes: 10 * 1024 * MIB,
  filesPerEndpoint: 20,
  /** The part of a form before its first file: the values, their headers and boundaries. */
  formStartBytes: 256 * KIB,
  bufferedOutputBytes: 1 * MIB,
  storedOutputBytes: 10 * MIB,
  transformInputBytes: 10 * MIB,
  transformMs: 5_000,
  /** The JSON between `parse` and `select`, in UTF-16 code units. */
  transformParsedChars: 64 * MIB,
  transformResultBytes: 10 * MIB,
  /** The memory of a `select`. */
  transformMemoryBytes: 512 * MIB,
  /** jq stores its program on a stack of 64 KiB. */
  selectBytes: 16 * KIB,
  defaultTimeoutSec: 60,
  maxTimeoutSec: 86_400,
  defaultApprovalTimeoutMins: 30,
  maxApprovalTimeoutMins: 43_200,
  maxConcurrent: 1_000,
  maxChoices: 1_000,
  /** The values of one list that an endpoint gives. */
  listedChoices: 10_000,
  defaultChoicesTtlSec: 30,
  maxChoicesTtlSec: 86_400,
  pipelineNodes: 1_000,
  pipelineEdges: 5_000,
  /** The fields of one input schema. */
  pipelineFields: 200,
  /** One condition, in UTF-16 code units. */
  expressionChars: 8 * KIB,
  /** Parentheses and negations inside one another. */
  expressionDepth: 64,
  /** The stored part of a step's result, for the nodes that refer to it. */
  stepResultBytes: 1 * MIB,
  /** The same for all steps of a run together: even in a wide run each step can store the length of one argument. */
  runResultsBytes: 64 * MIB,
  maxRetries: 10,
  maxBackoffSec: 3_600,
  forwardCapSec: 120,
  killGraceMs: 5_000,
  drainAfterExitMs: 2_000,
  /** The delay after which a silent stream sends its first comment. */
  sseHeadMs: 1_000,
  sseSilenceMs: 15_000,
  /** A command that prints the choices of an argument is cancelled after this time. */
  choicesMs: 30_000,
  recordsKeptDays: 30,
} as const;
