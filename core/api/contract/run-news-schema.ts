import { z } from 'zod';
import { NODE_STATES, RUN_STATES } from '../../pipeline/run/state.ts';

const at = z.iso.datetime().nullable().describe('Since when it is so; null where that is not on record.');

/**
 * What a stream says of a run besides the events of its steps, where it was asked to (`?events=nodes`): each is about now, and
 * has no `id:`. A reader that comes back is told of every node again.
 */
export const runEventMessage = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('node'),
      node: z.string(),
      state: z.enum(NODE_STATES),
      attempt: z.int().describe('Which try it is, from 1; 0: it has not been ordered to start.'),
      execution_id: z.uuid().optional().describe('The execution of this try.'),
      exit_code: z.int().optional(),
      error: z.string().optional().describe('Why there is no result, for people.'),
      holds: z.boolean().optional().describe('The answer of a condition.'),
      at,
    }),
    z.strictObject({ type: z.literal('run'), state: z.enum(RUN_STATES), at }),
  ])
  .meta({ id: 'PipelineRunNews', description: 'What a node of a run, or the run, is now.' });
export type RunEventMessage = z.output<typeof runEventMessage>;
