import { z } from 'zod';
import { ALERT_EVENTS, OTHER_EVENTS } from '../../alert/event.ts';
import { NO_SUCCESS_MINS } from '../../alert/no-success.ts';
import { member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { flag, ID, line, oneOf, PAGE_QUERY, pageSchema, slug, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const CHANNELS = ['webhook', 'slack', 'email'] as const;
const STATES = ['waiting', 'delivered', 'given_up'] as const;
const MAX_TARGET_CHARS = 2_000;

const WHERE =
  'The URL of the webhook or the chat, or the e-mail address of a member. Answers never show the whole URL.';

const fields = {
  name: line('a name').describe('A label for people.'),
  events: z
    .array(oneOf(ALERT_EVENTS), { error: 'a list of events' })
    .min(1, { error: 'at least one event' })
    .max(ALERT_EVENTS.length, { error: 'each event once' })
    .describe('The events that cause an alert.'),
  target: line('a URL or an e-mail address', MAX_TARGET_CHARS).describe(WHERE),
  enabled: flag().describe('False: the rule sends no alerts. Events in that time cause no alert later.'),
};
const endpoint = slug().describe('Only events of this endpoint or pipeline.');
const noSuccessMins = z
  .int({ error: `whole minutes from ${NO_SUCCESS_MINS.min} to ${NO_SUCCESS_MINS.max}` })
  .min(NO_SUCCESS_MINS.min, { error: `whole minutes from ${NO_SUCCESS_MINS.min} to ${NO_SUCCESS_MINS.max}` })
  .max(NO_SUCCESS_MINS.max, { error: `whole minutes from ${NO_SUCCESS_MINS.min} to ${NO_SUCCESS_MINS.max}` })
  .describe('For `no_success_since`, which needs it and an `endpoint`: the minutes without a success.');
const agent = line('the name of an agent').describe('Only events of this agent.');

const newRule = z
  .strictObject({
    ...fields,
    enabled: fields.enabled.default(true),
    channel: oneOf(CHANNELS).describe(
      'How alerts are sent: a signed webhook, a chat that accepts Slack messages, or a mail.',
    ),
    endpoint: endpoint.optional(),
    agent: agent.optional(),
    no_success_mins: noSuccessMins.optional(),
  })
  .meta({ id: 'NewAlertRule' });

const changedRule = z
  .strictObject({
    name: fields.name.optional(),
    events: fields.events.optional(),
    target: fields.target.optional(),
    enabled: fields.enabled.optional(),
    endpoint: endpoint.nullable().optional(),
    agent: agent.nullable().optional(),
    no_success_mins: noSuccessMins.nullable().optional(),
  })
  .meta({
    id: 'AlertRuleChange',
    description: 'Fields that are left out stay as they are; null removes a filter.',
  });

const rule = z
  .strictObject({
    id: ID,
    name: z.string(),
    events: z.array(z.enum(ALERT_EVENTS)),
    endpoint: z.string().nullable(),
    agent: z.string().nullable(),
    channel: z.enum(CHANNELS),
    target: z.string().describe('Where alerts go. Of a URL only the host is shown, of a secret its name.'),
    enabled: z.boolean(),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why it cannot send anything now: its member has left, or its secret is not set or not granted.',
      ),
    no_success_mins: z.int().nullable().describe('The minutes without a success after which it is sent.'),
    source: z
      .enum(['config', 'api'])
      .describe(
        '`config`: the file of an agent declares it with its endpoint, and only the file changes it; `api`: it was created here.',
      ),
    created_by: ID.nullable().describe('Null if a file declares it.'),
    created_at: TIME,
  })
  .meta({ id: 'AlertRule', description: 'Which events cause an alert, and who receives it.' });

const madeRule = rule
  .extend({
    secret: z
      .string()
      .nullable()
      .describe('The secret that signs its webhooks, shown only in this answer; null: they are not signed.'),
  })
  .meta({ id: 'MadeAlertRule' });

const secret = z
  .strictObject({
    secret: z
      .string()
      .describe('The new secret, shown only in this answer. For 24 hours the previous secret signs as well.'),
  })
  .meta({ id: 'SigningSecret' });

const delivery = z
  .strictObject({
    id: z.string().describe('The `webhook-id` that the receiver gets.'),
    event: z.enum([...ALERT_EVENTS, ...OTHER_EVENTS]),
    state: z.enum(STATES),
    tries: z.int(),
    created_at: TIME,
    tried_at: TIME.nullable(),
    next_try_at: TIME.nullable(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'AlertDelivery', description: 'One alert for one receiver. The hub keeps it for 30 days.' });

const ACCESS = member('endpoint.edit');

const RULE = {
  id: EXAMPLE_ID,
  name: 'on call',
  events: ['execution.failed', 'agent.offline'] as ('execution.failed' | 'agent.offline')[],
  endpoint: null,
  agent: null,
  channel: 'webhook' as const,
  target: 'https://hooks.example.com/…',
  enabled: true,
  problem: null,
  no_success_mins: null,
  source: 'api' as const,
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
};
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfC1zvgRGQ=';
const DELIVERY = {
  id: 'msg_2b9f0c8a7d6e5f4a3b2c1d0e9f8a7b6c',
  event: 'execution.failed' as const,
  state: 'waiting' as const,
  tries: 1,
  created_at: EXAMPLE_TIME,
  tried_at: EXAMPLE_TIME,
  next_try_at: EXAMPLE_TIME,
  response_status: 500,
  error: 'answered 500',
};

/** Alert rules and their deliveries (decision 39, alerts). */
export const alertRouteRows = {
  makeAlert: {
    method: 'POST',
    path: '/alerts',
    summary: 'Create an alert rule',
    access: ACCESS,
    body: body(newRule, {
      name: 'on call',
      events: ['execution.failed', 'agent.offline'],
      channel: 'webhook',
      target: 'https://hooks.example.com/svc?key=x',
    }),
    answers: { 201: json('The new rule. It is active.', madeRule, { ...RULE, secret: SECRET }) },
  },
  listAlerts: {
    method: 'GET',
    path: '/alerts',
    summary: 'List alert rules',
    access: ACCESS,
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The rules.', pageSchema(rule), { items: [RULE], next_cursor: null }) },
  },
  showAlert: {
    method: 'GET',
    path: '/alerts/{id}',
    summary: 'Show an alert rule',
    access: ACCESS,
    answers: { 200: json('The rule.', rule, RULE) },
  },
  changeAlert: {
    method: 'PATCH',
    path: '/alerts/{id}',
    summary: 'Change an alert rule',
    description:
      'Alerts that wait are sent to the new target. The channel cannot change: create another rule instead.',
    access: ACCESS,
    body: body(changedRule, { enabled: false }),
    answers: { 200: json('The changed rule.', rule, { ...RULE, enabled: false }) },
    refusals: ['invalid_argument', 'version_conflict', 'managed_by_config'],
  },
  deleteAlert: {
    method: 'DELETE',
    path: '/alerts/{id}',
    summary: 'Delete an alert rule',
    description: 'Also deletes its deliveries and the alerts that wait.',
    access: ACCESS,
    answers: { 204: empty('The rule is deleted.') },
    refusals: ['managed_by_config'],
  },
  rotateAlertSecret: {
    method: 'POST',
    path: '/alerts/{id}/secret',
    summary: 'Create a new secret for a webhook',
    access: ACCESS,
    answers: { 201: json('The secret that signs alerts from now on.', secret, { secret: SECRET }) },
    refusals: ['invalid_argument', 'version_conflict'],
  },
  testAlert: {
    method: 'POST',
    path: '/alerts/{id}/test',
    summary: 'Send a test to an alert rule',
    description:
      'The hub tries once, at once, and does not wait for other alerts of the rule. The deliveries of the rule show the outcome.',
    access: ACCESS,
    answers: {
      202: json('The test is being sent.', z.strictObject({ delivery_id: z.string() }), {
        delivery_id: DELIVERY.id,
      }),
    },
    refusals: ['rate_limited'],
  },
  listAlertDeliveries: {
    method: 'GET',
    path: '/alerts/{id}/deliveries',
    summary: 'List the deliveries of an alert rule, newest first',
    access: ACCESS,
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The deliveries.', pageSchema(delivery), { items: [DELIVERY], next_cursor: null }) },
  },
  listCallbackDeliveries: {
    method: 'GET',
    path: '/alerts/callbacks/deliveries',
    summary: 'List the deliveries to callback URLs, newest first',
    access: ACCESS,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The deliveries.', pageSchema(delivery), {
        items: [{ ...DELIVERY, event: 'execution.finished' }],
        next_cursor: null,
      }),
    },
  },
  rotateCallbackSecret: {
    method: 'POST',
    path: '/alerts/callbacks/secret',
    summary: 'Create a new secret for the callbacks of the workspace',
    description: 'Callbacks are not signed until the first secret exists.',
    access: ACCESS,
    answers: { 201: json('The secret that signs callbacks from now on.', secret, { secret: SECRET }) },
  },
} as const satisfies Routes;
