const KIB = 1024;
const MIB = 1024 * KIB;

/** Every limit that holds for all plans, once (reference 8, decisions 8, 9, 15 to 19, 26, 27); bytes, milliseconds, seconds. */
export const LIMITS = {
  requestBodyBytes: 1 * MIB,
  valueBytes: 64 * KIB,
  valuesTotalBytes: 128 * KIB,
  lineBytes: 64 * KIB,
  bufferedOutputBytes: 1 * MIB,
  storedOutputBytes: 10 * MIB,
  transformInputBytes: 10 * MIB,
  transformMs: 5_000,
  defaultTimeoutSec: 60,
  maxTimeoutSec: 86_400,
  defaultApprovalTimeoutMins: 30,
  forwardCapSec: 120,
  killGraceMs: 5_000,
  drainAfterExitMs: 2_000,
  sseSilenceMs: 15_000,
} as const;
