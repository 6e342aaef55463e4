import { z } from 'zod';
import { byEndpoint, EXECUTION_READER, member, OPEN } from '../contract/access.ts';
import { json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { boundedPageOf, oneOf, PAGE_QUERY, wholeNumberText } from '../contract/fields.ts';
import { passkeyQuestion, QUESTION_EXAMPLE } from '../contract/passkey-schemas.ts';
import type { Routes } from '../contract/route.ts';
import {
  APPROVAL_STATUSES,
  approval,
  decision,
  EXAMPLE_APPROVAL,
  EXAMPLE_DECIDED,
} from './approval-schemas.ts';

const FILTERS = [...APPROVAL_STATUSES, 'decided'] as const;

/** The longest time that a request waits for a decision; the client then asks again. */
export const LONGEST_WAIT_SEC = 60;

/** Calls that wait for approval (references 2.7, 3.1 and 4.5, decision 36, deciding on an approval). */
export const approvalRouteRows = {
  listApprovals: {
    method: 'GET',
    path: '/approvals',
    summary: 'List approvals, newest first',
    access: byEndpoint(member('endpoint.view'), 'view'),
    query: z.strictObject({
      ...PAGE_QUERY,
      endpoint: z.string().optional().describe('Only approvals of the endpoint with this slug.'),
      status: oneOf(FILTERS)
        .optional()
        .describe('Only approvals with this status; `decided`: all that are no longer pending.'),
    }),
    answers: {
      200: json('The approvals.', boundedPageOf(approval), { items: [EXAMPLE_APPROVAL], next_cursor: null }),
    },
  },
  countWaiting: {
    method: 'GET',
    path: '/approvals/waiting',
    summary: 'Count pending approvals',
    access: byEndpoint(member('endpoint.view'), 'view'),
    answers: {
      200: json(
        'The counts, each up to 100.',
        z.strictObject({
          pending: z.int().describe('The pending approvals of the workspace.'),
          mine: z.int().describe('How many of them the member of this request may decide on.'),
          elsewhere: z
            .array(z.strictObject({ username: z.string(), mine: z.int() }))
            .describe('The other workspaces of the member in which calls wait for a decision of theirs.'),
        }),
        { pending: 3, mine: 2, elsewhere: [{ username: 'acme', mine: 1 }] },
      ),
    },
  },
  showApproval: {
    method: 'GET',
    path: '/approvals/{id}',
    summary: 'Show an approval, or wait for its decision',
    description: 'A key sees the approvals of its own calls. A member sees all of the workspace.',
    access: EXECUTION_READER,
    query: z.strictObject({
      wait: wholeNumberText(0, LONGEST_WAIT_SEC)
        .default(0)
        .describe('Waits up to this many seconds for a decision.'),
      token: z.string().optional().describe('The read token of a call without a key.'),
    }),
    answers: { 200: json('The approval.', approval, EXAMPLE_APPROVAL) },
  },
  decideApproval: {
    method: 'POST',
    path: '/approvals/{id}/decide',
    summary: 'Approve or deny a call',
    description:
      'The first decision counts. `approvers` and `allow_self` of the endpoint define which members may decide.',
    access: byEndpoint(member('endpoint.execute'), 'approve'),
    body: body(decision, { decision: 'approve', comment: 'go ahead' }),
    answers: {
      200: json('The decided approval. An approved call is queued for its agent.', approval, EXAMPLE_DECIDED),
    },
    refusals: ['approval_closed', 'approval_expired', 'stale', 'quota_exceeded', 'link_used', 'link_expired'],
  },
  beginApprovalPasskey: {
    method: 'POST',
    path: '/approvals/{id}/passkey',
    summary: 'Begin to confirm an approval with a passkey',
    description: 'The challenge is for this approval and session, and holds 5 minutes.',
    access: { ...byEndpoint(member('endpoint.execute'), 'approve'), credentials: ['session'] },
    answers: {
      200: json('The challenge. A cookie is set for the decision.', passkeyQuestion, QUESTION_EXAMPLE),
    },
    refusals: ['not_found', 'forbidden'],
  },
} as const satisfies Routes;

const PAGE = media('text/html', 'A page.');
const LINK = { access: OPEN, query: 'ignored', refusesOn: 'page' } as const;

/** The approval link: opening it only shows the call, the form on its page decides (decision 34, links that act). */
export const approvalPageRouteRows = {
  showApprovalPage: {
    ...LINK,
    method: 'GET',
    path: '/approve/{token}',
    summary: 'Show the page of a call that waits for approval',
    description: 'Opening the page never decides.',
    answers: { 200: PAGE, 410: PAGE },
  },
  decideOnPage: {
    ...LINK,
    method: 'POST',
    path: '/approve/{token}',
    summary: 'Approve or deny a call, in a browser',
    description: 'Takes the form of the page: `decision` (`approve` or `deny`), `comment` and `nonce`.',
    answers: { 200: PAGE, 401: PAGE, 410: PAGE },
    refusals: [
      'forbidden',
      'unsupported_media_type',
      'payload_too_large',
      'stale',
      'quota_exceeded',
      'rate_limited',
    ],
  },
  signInToApprove: {
    ...LINK,
    method: 'POST',
    path: '/approve/{token}/sign-in',
    summary: 'Request a sign-in link that leads to an approval, in a browser',
    description: 'Takes the form of the page: `email`. The link leads back to the approval.',
    answers: { 202: PAGE },
    refusals: ['forbidden', 'unsupported_media_type', 'payload_too_large', 'rate_limited'],
  },
} as const satisfies Routes;
