import { z } from 'zod';
import { REFUSAL_CODES } from '../../refusal.ts';

const step = z.string().optional().describe('The step of a pipeline run that the event belongs to.');

/** The JSON of one event (reference 6), as it is published; `readEvent` reads it. */
export const executionEvent = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('output'),
      step,
      stream: z
        .literal('stderr')
        .optional()
        .describe('The line is from stderr, of an endpoint that separates the two streams.'),
      encoding: z.literal('base64').optional().describe('`data` is a piece of raw stdout.'),
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
      code: z
        .enum([...REFUSAL_CODES, 'internal_error', 'still_running'])
        .meta({ id: 'ErrorEventCode' })
        .optional()
        .describe(
          'The same, for programs. `still_running`: only the response ended; the execution continues.',
        ),
      execution_id: z.uuid().optional().describe('The execution that the error concerns.'),
      run_id: z.uuid().optional().describe('The pipeline run that the error concerns.'),
    }),
  ])
  .meta({ id: 'ExecutionEvent', description: 'One event of an execution.' });

const skippedEvent = z
  .strictObject({
    type: z.literal('skipped'),
    events: z
      .int()
      .nonnegative()
      .describe('How many `output` events come before the first one that is sent.'),
    lines: z
      .int()
      .nonnegative()
      .describe('How many lines they have. Only an event of raw stdout can have more than one.'),
    cut_after: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Number of skipped lines before the marker of a gap in the stored output; absent without a gap.',
      ),
    cut_lines: z.int().nonnegative().optional().describe('Lines missing at the marker; 0 if unknown.'),
    encoding: z.literal('base64').optional().describe('Some of these events are raw stdout.'),
  })
  .meta({ id: 'SkippedOutput', description: 'What a stream with `last` leaves out. It has no id.' });

/** An event of a stream that can begin with the last events. */
export const executionStreamEvent = z
  .union([executionEvent, skippedEvent])
  .meta({ id: 'ExecutionStreamEvent', description: 'One event of the stream of an execution.' });
