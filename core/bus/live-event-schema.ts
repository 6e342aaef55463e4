import { z } from 'zod';
import { APPROVAL_STATES } from '../approval/approval.ts';
import { AUDIT_ACTION_NAMES } from '../audit/actions.ts';
import { AUDIT_TARGET_KINDS } from '../audit/entry.ts';
import { EXECUTION_STATES, REASONS } from '../execution/state.ts';
import type { LiveEvent } from '../live-event/live-event.ts';

const TRIGGERS = ['call', 'dashboard', 'schedule', 'pipeline', 'mcp'] as const;
const text = z.string().max(1_000);
const count = z.int().min(0);

/** A key that JSON leaves out if it is undefined. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value);
}

/** The live events that hubs send each other, in the form of the domain. */
export const liveEventSchema: z.ZodType<LiveEvent> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('execution'),
    executionId: text,
    slug: text,
    state: z.enum(EXECUTION_STATES),
    reason: maybe(z.enum(REASONS)),
    trigger: maybe(z.enum(TRIGGERS)),
  }),
  z.object({ kind: z.literal('executions'), count }),
  z.object({
    kind: z.literal('approval'),
    approvalId: text,
    executionId: text,
    slug: text,
    state: z.enum(APPROVAL_STATES),
  }),
  z.object({ kind: z.literal('agent'), agentName: text, isConnected: z.boolean() }),
  z.object({ kind: z.literal('pipeline_run'), runId: text, slug: text, state: text }),
  z.object({
    kind: z.literal('pipeline_node'),
    runId: text,
    nodeId: text,
    state: text,
    executionId: maybe(text),
  }),
  z.object({ kind: z.literal('quota'), percent: count, used: count, period: text }),
  z.object({
    kind: z.literal('change'),
    action: z.enum(AUDIT_ACTION_NAMES),
    target: z.object({ kind: z.enum(AUDIT_TARGET_KINDS), id: text, name: text }),
  }),
]);
