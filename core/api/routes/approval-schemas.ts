import { z } from 'zod';
import { APPROVAL_STATES, EXPIRY_REASONS } from '../../approval/approval.ts';
import { APPROVER_KEY_FORM, APPROVER_KEY_PATTERN } from '../../approval/approver-key.ts';
import { isAgentName } from '../../protocol/agent-name.ts';
import { executionStatus, ID, line, oneOf, TIME } from '../contract/fields.ts';
import { passkeyAnswer } from '../contract/passkey-schemas.ts';
import { EXAMPLE_EXECUTION_ID, EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';
import { receivedFile } from './received-file.ts';

/** A pending approval has the status `pending_approval`, as in the 202 of a pending call (reference 4.5). */
const [, ...CLOSED_STATES] = APPROVAL_STATES;
export const APPROVAL_STATUSES = ['pending_approval', ...CLOSED_STATES] as const;

const LONGEST_COMMENT = 500;
const LONGEST_CALLER = 500;

const HELD_EXAMPLE = {
  status: 'pending_approval',
  execution_id: EXAMPLE_ID,
  approval_id: EXAMPLE_ID,
  approve_url: 'https://svc.example.com/approve/GZqfPipAfRGOCmsMnR5PIqY0…',
  message: '"deploy" waits for approval: approve_url shows it to a person, who decides within 30 minutes',
  expires_in_mins: 30,
} as const;

/** The 202 of reference 4.5. */
export const pendingCall = z
  .strictObject({
    status: z.literal('pending_approval'),
    execution_id: ID,
    approval_id: ID,
    approve_url: z
      .string()
      .describe(
        'The page on which a person decides. Anyone with this URL may decide, unless the endpoint says otherwise or an AI agent made the call.',
      ),
    message: z.string(),
    expires_in_mins: z.int().describe('How long the call waits for a decision.'),
  })
  .meta({ id: 'PendingCall', description: 'A call that waits for approval. Nothing runs yet.' });
export const EXAMPLE_PENDING = HELD_EXAMPLE;

/** The fields that an approver signs, besides those of the execution itself (decision 60, the file is a floor). */
const signed = z
  .strictObject({
    key: z.string({ error: 'a public key' }).regex(APPROVER_KEY_PATTERN, { error: APPROVER_KEY_FORM }),
    signature: z
      .string({ error: 'a signature' })
      .regex(/^[A-Za-z0-9_-]{86}$/, { error: 'an Ed25519 signature in base64url' }),
    agent: z.string({ error: 'the name of an agent' }).refine(isAgentName, { error: 'the name of an agent' }),
    requested_by: line('the caller', LONGEST_CALLER),
    valid_until_ms: z.int({ error: 'milliseconds since 1970' }).min(0, { error: 'milliseconds since 1970' }),
  })
  .meta({ id: 'SignedApproval', description: 'The signature of `svc approvals approve`.' });

const toSign = z
  .strictObject({
    definition_hash: z.string().describe('SHA-256 of the definition that runs.'),
    args: z.record(z.string(), z.string()).describe('The values of the call.'),
    files: z
      .array(receivedFile.pick({ argument: true, bytes: true, sha256: true }))
      .optional()
      .describe('The files of the call, or its body; absent without any.'),
    agent: z.string(),
    requested_by: z.string(),
    keys: z.array(z.string()).describe('The signature must come from one of these keys.'),
  })
  .meta({
    id: 'ToSign',
    description: 'The fields that an approver signs, with the ids of the execution and endpoint.',
  });

export const decision = z
  .strictObject({
    decision: oneOf(['approve', 'deny']).describe('`approve` runs the command; `deny` ends the call.'),
    comment: line('a comment', LONGEST_COMMENT)
      .optional()
      .describe('A comment for the caller and the audit log.'),
    signed: signed.optional().describe('Required to approve if `to_sign` is not null.'),
    passkey: passkeyAnswer.optional().describe('Required to approve if `needs_passkey` is true.'),
  })
  .meta({ id: 'Decision' });

const commandPart = z
  .strictObject({
    kind: z.enum(['text', 'value', 'secret', 'absent']),
    text: z.string().optional().describe('The text of the command, or the whole value.'),
    name: z.string().optional().describe('The argument, or the name of the secret.'),
  })
  .meta({ id: 'CommandPart', description: 'A piece of a command.' });

export const approval = z
  .strictObject({
    approval_id: ID,
    status: z.enum(APPROVAL_STATUSES),
    reason: z.enum(EXPIRY_REASONS).optional().describe('Why the approval expired.'),
    endpoint: z.string().describe('The slug of the endpoint.'),
    command: z
      .string()
      .nullable()
      .describe('The command in one line. Invisible characters and secrets appear by name.'),
    parts: z
      .array(commandPart)
      .nullable()
      .describe('The command as it is written, in pieces: its own text, and each value.'),
    values: z
      .array(
        z.strictObject({
          name: z.string(),
          value: z.string().nullable().describe('Null: the value is secret or was left out.'),
          secret: z.literal(true).optional(),
          notice: z
            .string()
            .optional()
            .describe('Only for an argument of type `code`: which program runs its value.'),
        }),
      )
      .describe('The whole value that the command gets for each argument.'),
    files: z
      .array(receivedFile)
      .optional()
      .describe('The files that wait with the call; `stdin` is its body. Exactly these bytes are approved.'),
    agent_name: z.string().describe('The agent on which it runs.'),
    endpoint_version: z.int().nullable().describe('The version of the endpoint that was called.'),
    timeout_s: z.int().describe('The command is ended after this many seconds.'),
    requested_by: z.string().describe('The caller, in words for people.'),
    created_at: TIME.describe('When the call was made.'),
    expires_at: TIME,
    expires_in_s: z.int().describe('How many seconds are left to decide.'),
    decided_by: z.string().nullable(),
    decided_at: TIME.nullable(),
    comment: z.string().nullable(),
    approve_url: z
      .string()
      .optional()
      .describe('The page on which a person decides, while the approval is pending.'),
    to_sign: toSign
      .nullable()
      .describe('Set if the endpoint has `approver_keys`; null: a decision needs no signature.'),
    needs_passkey: z.boolean().describe('An approver confirms with a passkey, in a browser.'),
    may_decide: z
      .enum(['yes', 'not_approver', 'own_call', 'unknown_caller', 'needs_session'])
      .optional()
      .describe('Whether the member of this request may decide, while the approval is pending.'),
    execution_id: ID,
    execution_status: executionStatus,
    status_url: z.string(),
    stream_url: z.string().describe('The events of the execution, once the call is approved.'),
  })
  .meta({ id: 'Approval', description: 'A call that waits for approval, or waited for it.' });

export const EXAMPLE_APPROVAL = {
  approval_id: EXAMPLE_ID,
  status: 'pending_approval',
  endpoint: 'deploy',
  command: './deploy.sh production',
  parts: [
    { kind: 'text', text: './deploy.sh ' },
    { kind: 'value', name: 'target', text: 'production' },
  ],
  values: [{ name: 'target', value: 'production' }],
  agent_name: 'default',
  endpoint_version: 3,
  timeout_s: 60,
  requested_by: 'key "ci" of ada@example.com',
  created_at: EXAMPLE_TIME,
  expires_at: '2026-11-20T12:30:00.000Z',
  expires_in_s: 1_740,
  decided_by: null,
  decided_at: null,
  comment: null,
  approve_url: HELD_EXAMPLE.approve_url,
  ...{ to_sign: null, needs_passkey: false },
  execution_id: EXAMPLE_EXECUTION_ID,
  execution_status: 'pending_approval',
  status_url: `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}`,
  stream_url: `https://svc.example.com/executions/${EXAMPLE_EXECUTION_ID}/stream`,
} satisfies z.input<typeof approval>;

export const EXAMPLE_DECIDED = {
  ...EXAMPLE_APPROVAL,
  status: 'approved',
  decided_by: 'lin@example.com',
  decided_at: '2026-11-20T12:01:00.000Z',
  approve_url: undefined,
  execution_status: 'queued',
} satisfies z.input<typeof approval>;
