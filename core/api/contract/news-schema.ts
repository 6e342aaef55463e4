import { z } from 'zod';
import { AUDIT_ACTION_NAMES } from '../../audit/actions.ts';
import { AUDIT_TARGET_KINDS } from '../../audit/entry.ts';
import { EXECUTION_STATES, REASONS } from '../../execution/state.ts';

const endpoint = z.string().describe('The slug of the endpoint.');

/** The JSON of one event of `GET /events`, as it is published. */
export const liveEventMessage = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ready') }).meta({
      description: 'What is read from now on is followed by what changes it.',
    }),
    z.strictObject({ type: z.literal('reset') }).meta({
      description: 'Some events are missing here: what was read before may be old, and is to be read again.',
    }),
    z
      .strictObject({
        type: z.literal('execution'),
        execution_id: z.uuid(),
        endpoint,
        status: z.enum(EXECUTION_STATES),
        reason: z.enum(REASONS).optional(),
        trigger: z
          .enum(['call', 'dashboard', 'schedule', 'pipeline'])
          .optional()
          .describe('Not of every change.'),
      })
      .meta({ description: 'It came to be, or its state changed.' }),
    z.strictObject({ type: z.literal('executions'), count: z.int() }).meta({
      description: 'So many came to be or changed that they are not told of one by one.',
    }),
    z.strictObject({
      type: z.literal('approval'),
      approval_id: z.uuid(),
      execution_id: z.uuid(),
      endpoint,
      status: z.enum(['pending_approval', 'approved', 'denied', 'expired']),
    }),
    z
      .strictObject({
        type: z.literal('agent'),
        agent_name: z.string(),
        status: z.enum(['connected', 'gone']),
      })
      .meta({ description: 'One process of this name has connected, or is gone; others may be there.' }),
    z.strictObject({
      type: z.literal('pipeline_run'),
      run_id: z.uuid(),
      pipeline: z.string().describe('The slug of the pipeline.'),
      status: z.string(),
    }),
    z.strictObject({
      type: z.literal('pipeline_node'),
      run_id: z.uuid(),
      node: z.string().describe('The id of the node in its pipeline.'),
      status: z.string(),
      execution_id: z.uuid().optional().describe('Of a step that runs, or has run.'),
    }),
    z
      .strictObject({
        type: z.literal('quota'),
        percent: z.int(),
        used: z.int(),
        period: z.string(),
      })
      .meta({ description: 'So many percent of the executions of the month are used.' }),
    z
      .strictObject({
        type: z.literal('change'),
        action: z.enum(AUDIT_ACTION_NAMES),
        kind: z.enum(AUDIT_TARGET_KINDS).describe('What was changed.'),
        id: z.string(),
        name: z.string().describe('As people know it; of an endpoint its slug.'),
      })
      .meta({ description: 'Somebody changed something, in the words of the audit log.' }),
  ])
  .meta({ id: 'NewsEvent', description: 'One event of what happens in a workspace.' });

export type LiveEventMessage = z.infer<typeof liveEventMessage>;
