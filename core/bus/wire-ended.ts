import { z } from 'zod';
import type { Ended } from '../execution/outcome.ts';
import { REASONS } from '../execution/state.ts';
import { REFUSAL_CODES } from '../refusal.ts';

const endedSchema = z.object({
  state: z.enum(['succeeded', 'failed', 'timed_out', 'cancelled', 'lost', 'rejected', 'missed']),
  reason: z.enum(REASONS).optional(),
  error: z.string().optional(),
  errorCode: z.enum(REFUSAL_CODES).optional(),
  exitCode: z.int().optional(),
  durationMs: z.number().optional(),
  data: z.string().optional(),
});

/** The outcome of an execution as JSON. */
export function encodeEnded({ state, reason, error, errorCode, exitCode, durationMs, data }: Ended): string {
  return JSON.stringify({ state, reason, error, errorCode, exitCode, durationMs, data });
}

/** Undefined for any other text, whatever it is. */
export function decodeEnded(json: string): Ended | undefined {
  const read = endedSchema.safeParse(parsed(json)).data;
  if (read === undefined) return undefined;
  const { state, reason, error, errorCode, exitCode, durationMs, data } = read;
  return { state, reason, error, errorCode, exitCode, durationMs, data };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
