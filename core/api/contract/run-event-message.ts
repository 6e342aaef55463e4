import { z } from 'zod';
import { NODE_STATES, RUN_STATES } from '../../pipeline/run/state.ts';

const at = z.iso.datetime().nullable().describe('When this state began; null if it is not recorded.');

/**
 * Events of a run in addition to those of its steps (`?events=nodes`). Each describes the present and has no `id:`. After a
 * reconnect the stream sends every node again.
 */
export const runEventMessage = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('node'),
      node: z.string(),
      state: z.enum(NODE_STATES),
      attempt: z.int().describe('The number of the attempt, from 1; 0: the step has not started.'),
      execution_id: z.uuid().optional().describe('The execution of this attempt.'),
      exit_code: z.int().optional(),
      error: z.string().optional().describe('Why there is no result, for people.'),
      holds: z.boolean().optional().describe('The answer of a condition.'),
      at,
    }),
    z.strictObject({ type: z.literal('run'), state: z.enum(RUN_STATES), at }),
  ])
  .meta({ id: 'PipelineRunNews', description: 'The current state of a run or one of its nodes.' });
export type RunEventMessage = z.output<typeof runEventMessage>;
