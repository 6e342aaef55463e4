import { z } from 'zod';
import type { TailBatch } from '../tail/tail-line.ts';

const schema = z.object({
  lines: z.array(
    z.object({
      executionId: z.string(),
      endpoint: z.string(),
      stream: z.literal('stderr').optional(),
      data: z.string(),
      isCut: z.literal(true).optional(),
    }),
  ),
  dropped: z.int().nonnegative(),
});

/** Lines on their way from the hub of an execution to the hub of a reader, as JSON. */
export function encodeTailMessage(batch: TailBatch): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(batch));
}

/** Undefined for any other bytes, whatever they are. */
export function decodeTailMessage(bytes: Uint8Array): TailBatch | undefined {
  try {
    return schema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}
