import { z } from 'zod';
import { AUDIT_ACTION_NAMES } from '../../audit/actions.ts';
import { AUDIT_TARGET_KINDS } from '../../audit/entry.ts';
import { REASONS } from '../../execution/state.ts';
import { executionStatus } from './fields.ts';

const endpoint = z.string().describe('The slug of the endpoint.');

/** The JSON of one event of `GET /events`, as it is published. */
export const liveEventMessage = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ready') }).meta({
      description: 'The stream is open: later events report all changes to what you read from now on.',
    }),
    z.strictObject({ type: z.literal('reset') }).meta({
      description: 'Events are missing: read again what you read before.',
    }),
    z
      .strictObject({
        type: z.literal('execution'),
        execution_id: z.uuid(),
        endpoint,
        status: executionStatus,
        reason: z.enum(REASONS).optional(),
        trigger: z
          .enum(['call', 'dashboard', 'schedule', 'pipeline', 'mcp'])
          .optional()
          .describe('Absent for some changes.'),
      })
      .meta({ description: 'An execution was created, or its state changed.' }),
    z.strictObject({ type: z.literal('executions'), count: z.int() }).meta({
      description: 'Too many executions were created or changed to report each of them.',
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
      .meta({ description: 'A process of this agent connected or disconnected; others may be online.' }),
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
      execution_id: z.uuid().optional().describe('The execution of a step that runs or ran.'),
    }),
    z
      .strictObject({
        type: z.literal('quota'),
        percent: z.int(),
        used: z.int(),
        period: z.string(),
      })
      .meta({ description: 'The percentage of the monthly executions that is used.' }),
    z
      .strictObject({
        type: z.literal('change'),
        action: z.enum(AUDIT_ACTION_NAMES),
        kind: z.enum(AUDIT_TARGET_KINDS).describe('The kind of thing that changed.'),
        id: z.string(),
        name: z.string().describe('The name for people; for an endpoint its slug.'),
      })
      .meta({ description: 'An action of the audit log.' }),
  ])
  .meta({ id: 'NewsEvent', description: 'One live event of a workspace.' });

export type LiveEventMessage = z.infer<typeof liveEventMessage>;
