import { z } from 'zod';
import { frameEnum, message, text, wholeNumber } from './fields.ts';

/** Why an agent refused an order (decisions 28, 31 and 32). */
export const ORDER_REFUSALS = [
  /** The agent has no definition with this hash, because its file has changed. */
  'unknown_definition',
  /** The agent was started with --local-only. */
  'local_only',
  /** The definition in the order is invalid. */
  'bad_definition',
  /** The values do not fit the command. */
  'bad_values',
  /** The agent is stopping. */
  'leaving',
  /** The agent has reached its limit of executions in flight. */
  'busy',
  /** The agent cannot write its journal, or has a bug. */
  'broken',
] as const;
export type OrderRefusal = (typeof ORDER_REFUSALS)[number];

const NOT_STARTED_REASONS = ['not_found', 'not_executable', 'too_long', 'bad_cwd', 'other'] as const;
const LONGEST_MS = 2 ** 40;
const durationMs = wholeNumber(0, LONGEST_MS);

/** The JSON of a transform's result is sent before, in `result` frames. */
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
    z.object({
      kind: z.literal('cancelled'),
      duration_ms: durationMs,
      /** The body of the call was cut off, so the command was ended. `code` is the refusal that a caller may see. */
      cut: z.object({ code: text(64), message }).optional(),
    }),
    z.object({ kind: z.literal('not_started'), reason: frameEnum(NOT_STARTED_REASONS), message }),
    z.object({ kind: z.literal('lost'), message }),
    z.object({ kind: z.literal('refused'), reason: frameEnum(ORDER_REFUSALS), code: text(64), message }),
  ],
  { error: 'how an execution ended' },
);
