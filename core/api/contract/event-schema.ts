import { z } from 'zod';

const step = z.string().optional().describe('The step of a pipeline run that the event belongs to.');

/** The JSON of one event (reference 6), as it is published; `readEvent` reads it. */
export const executionEvent = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('output'),
      step,
      data: z.string().describe('One line of output, without its line end.'),
    }),
    z.strictObject({
      type: z.literal('transformed_output'),
      step,
      data: z.unknown().describe('The result of the transform.'),
    }),
    z.strictObject({ type: z.literal('done'), step, exit_code: z.int(), duration_ms: z.int() }),
    z.strictObject({
      type: z.literal('error'),
      step,
      error: z.string().describe('Why there is no result, for people.'),
    }),
  ])
  .meta({ id: 'ExecutionEvent', description: 'One event of an execution.' });
