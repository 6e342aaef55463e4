import { z } from 'zod';
import { frameEnum, message, text, wholeNumber } from './fields.ts';

/** Why an agent did not run what it was told to (decisions 28, 31 and 32). */
export const ORDER_REFUSALS = [
  /** It has no definition of this hash: its file has changed. */
  'unknown_definition',
  /** It was started with --local-only. */
  'local_only',
  /** The definition that came with the order has mistakes. */
  'bad_definition',
  /** The values do not fit the command. */
  'bad_values',
  /** It is stopping. */
  'leaving',
  /** It has as many executions in flight as it can have. */
  'busy',
  /** Its journal cannot be written, or it met a bug in itself. */
  'broken',
] as const;
export type OrderRefusal = (typeof ORDER_REFUSALS)[number];

const NOT_STARTED_REASONS = ['not_found', 'not_executable', 'too_long', 'bad_cwd', 'other'] as const;
const LONGEST_MS = 2 ** 40;
const durationMs = wholeNumber(0, LONGEST_MS);

/** The JSON of a transform's result comes before this, in `result` frames. */
const transformed = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data') }),
  z.object({ kind: z.literal('failed'), reason: message }),
  z.object({ kind: z.literal('skipped'), reason: message.optional() }),
]);

/** How an execution ended. `refused` and `not_started`: nothing ran. */
export const endingSchema = z.discriminatedUnion(
  'kind',
  [
    z.object({
      kind: z.literal('exited'),
      exit_code: wholeNumber(0, 0xffff_ffff),
      duration_ms: durationMs,
      transformed: transformed.optional(),
    }),
    z.object({ kind: z.literal('timed_out'), duration_ms: durationMs }),
    z.object({ kind: z.literal('cancelled'), duration_ms: durationMs }),
    z.object({ kind: z.literal('not_started'), reason: frameEnum(NOT_STARTED_REASONS), message }),
    z.object({ kind: z.literal('lost'), message }),
    z.object({ kind: z.literal('refused'), reason: frameEnum(ORDER_REFUSALS), code: text(64), message }),
  ],
  { error: 'how an execution ended' },
);
