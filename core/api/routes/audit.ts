import { z } from 'zod';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS } from '../../audit/actions.ts';
import { wireAuditRecord } from '../../audit/wire-record.ts';
import { principal } from '../contract/access.ts';
import { json, media } from '../contract/answer.ts';
import { boundedPageOf, givenTime, oneOf, PAGE_QUERY } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const shown = wireAuditRecord
  .extend({
    words: z.string().describe('The action in words for people, to follow the name of the actor.'),
  })
  .meta({ id: 'ShownAuditEntry', description: 'One action in the workspace.' });

const EXAMPLE = {
  workspace_id: '019a9f3e-11aa-7b00-9c00-000000000001',
  seq: 12,
  at: EXAMPLE_TIME,
  action: 'api_key.made',
  actor: { kind: 'member', id: EXAMPLE_USER_ID, name: 'ada@example.com' },
  from: { address: '192.0.2.7', user_agent: 'curl/8.17' },
  target: { kind: 'api_key', id: EXAMPLE_ID, name: 'nightly build' },
  details: { last4: 'x7Qe', endpoints: ['deploy'], expires_at: null },
  previous_hash: 'f'.repeat(64),
  hash: '0123456789abcdef'.repeat(4),
} satisfies z.input<typeof wireAuditRecord>;

const HOW_TO_CHECK =
  'Each entry holds the `hash` of the one before it. `hash` is the SHA-256 of the line without `hash`, as canonical JSON ' +
  '(RFC 8785). With these hashes you can check that no line was changed, added or removed.';

/** The audit log (decision 48, the audit log). */
export const auditRouteRows = {
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'List the audit log, newest first',
    access: principal('audit.view'),
    query: z.strictObject({
      ...PAGE_QUERY,
      action: oneOf(AUDIT_ACTION_NAMES).optional().describe('Only entries of this action.'),
      actor: z.string().max(100).optional().describe('Only entries of the actor with this id.'),
      name: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('Only entries whose actor or target has a name that begins with this text.'),
      from: givenTime().optional().describe('Only entries at or after this time.'),
      until: givenTime().optional().describe('Only entries before this time.'),
    }),
    answers: {
      200: json('The entries.', boundedPageOf(shown), {
        items: [{ ...EXAMPLE, words: AUDIT_ACTIONS['api_key.made'] }],
        next_cursor: null,
      }),
    },
  },
  exportAudit: {
    method: 'GET',
    path: '/audit/export',
    summary: 'Export the audit log, oldest first',
    description: `One JSON object per line. ${HOW_TO_CHECK}`,
    access: principal('audit.view'),
    answers: {
      200: media('application/x-ndjson', 'All entries.', `${JSON.stringify(EXAMPLE)}\n`),
    },
  },
} as const satisfies Routes;
