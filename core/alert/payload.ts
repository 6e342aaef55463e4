import { z } from 'zod';
import { EXECUTION_STATES, REASONS } from '../execution/state.ts';
import type { AlertEvent, AnyEventName } from './event.ts';

/** The version of the format. It increases if a field changes its meaning or is removed, not if one is added. */
export const PAYLOAD_VERSION = 1;

const id = z.string();
const time = z.iso.datetime();

const approval = z.strictObject({
  approval_id: id,
  execution_id: id,
  endpoint: z.string(),
  command: z.string().describe('The command to approve, with its secrets by name.'),
  requested_by: z.string(),
  expires_at: time,
});

const decided = approval.extend({
  decision: z.enum(['approved', 'denied']),
  decided_by: z.string(),
  comment: z.string().nullable(),
});

const execution = z.strictObject({
  execution_id: id,
  endpoint: z.string(),
  agent: z.string().nullable(),
  trigger: z.string().describe('call, dashboard, schedule or pipeline.'),
  state: z.enum(EXECUTION_STATES),
  reason: z.enum(REASONS).nullable(),
  exit_code: z.int().nullable(),
  duration_ms: z.int().nullable(),
  error: z.string().nullable(),
  error_code: z.string().nullable(),
  created_at: time,
  ended_at: time,
  last_lines: z.array(z.string()).describe('The last lines of its output; secrets are masked.'),
});

const missed = z.strictObject({
  endpoint: z.string(),
  scheduled_for: time,
  reason: z.string().describe('agent_offline, hub_down, quota or overlap.'),
  count: z.int().describe('How many missed fires in a row this event stands for.'),
});

const noSuccess = z.strictObject({
  rule_id: id,
  rule: z.string(),
  endpoint: z.string().nullable(),
  pipeline: z.string().nullable(),
  no_success_mins: z.int(),
  since: time.describe('No success has ended since then.'),
});

const agent = z.strictObject({ agent: z.string(), since: time });

const quota = z.strictObject({
  period: z.string().describe('The month, UTC.'),
  used: z.int(),
  limit: z.int(),
  resets_at: time,
});

const pipeline = z.strictObject({
  run_id: id,
  pipeline: z.string(),
  duration_ms: z.int().nullable(),
  failed_step: z.string().nullable(),
  error: z.string().nullable(),
});

const damage = z.strictObject({
  hub: z.string().describe('Its address, as in SVC_HUB_URL.'),
  error: z.string().describe('The first error that showed the damage.'),
});

/** The `data` of each event. */
export const PAYLOAD_DATA = {
  'approval.pending': approval,
  'approval.decided': decided,
  'approval.expired': approval,
  'execution.failed': execution,
  'execution.timed_out': execution,
  'execution.lost': execution,
  'execution.succeeded': execution,
  'execution.recovered': execution,
  'execution.finished': execution,
  no_success_since: noSuccess,
  success_resumed: noSuccess.extend({ succeeded_at: time }),
  'schedule.missed': missed,
  'agent.offline': agent,
  'agent.online': agent,
  'agent.journal_damaged': agent.extend({ reason: z.string().describe('The damage of the journal.') }),
  'quota.80': quota,
  'quota.100': quota,
  'pipeline.failed': pipeline,
  'pipeline.succeeded': pipeline,
  'hub.store_damaged': damage,
  test: z.strictObject({ rule: z.string() }),
} as const satisfies Record<AnyEventName, z.ZodObject>;

export type PayloadData<Name extends AnyEventName> = z.output<(typeof PAYLOAD_DATA)[Name]>;

/** The body of a webhook. The bytes are the same in each attempt, because they are signed. */
export function payloadText(event: AlertEvent, link: string | undefined): string {
  return JSON.stringify({
    type: event.name,
    version: PAYLOAD_VERSION,
    timestamp: new Date(event.atMs).toISOString(),
    workspace_id: event.workspaceId,
    data: event.data,
    ...(link === undefined ? {} : { url: link }),
  });
}
