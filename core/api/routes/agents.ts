import { z } from 'zod';
import { HOSTED_AGENT, isAgentName } from '../../protocol/agent-name.ts';
import { byEndpoint, member, OPEN, principal } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, line, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const AGENT_NAME_ERROR =
  'the name of an agent: letters, digits, ".", "_" and "-", the first a letter or digit,';

const MAX_NAMES = 100;
const AGENT_NAMES_ERROR = `1 to ${MAX_NAMES} names of agents`;

const agentName = () =>
  z
    .string({ error: AGENT_NAME_ERROR })
    .refine(isAgentName, { error: AGENT_NAME_ERROR })
    .refine((name) => name !== HOSTED_AGENT, { error: 'another name than that of the hosted runner' });

const newAgentToken = z
  .strictObject({
    name: line('a name').describe('A label for people.'),
    agent_name: agentName()
      .optional()
      .describe(
        'The only agent name that the token accepts. Without it, the first connection sets the name.',
      ),
    agent_names: z
      .array(agentName(), { error: AGENT_NAMES_ERROR })
      .min(1, { error: AGENT_NAMES_ERROR })
      .max(MAX_NAMES, { error: AGENT_NAMES_ERROR })
      .refine((names) => new Set(names).size === names.length, { error: 'each name once' })
      .optional()
      .describe('The agent names that the token accepts, instead of `agent_name`.'),
    pool: z
      .boolean({ error: 'true or false' })
      .optional()
      .describe(
        'True: every process that connects with the token may use the secrets of its agent. False: only the first process may, and ' +
          'an admin decides about every other process.',
      ),
    enrolment: z
      .boolean({ error: 'true or false' })
      .optional()
      .describe(
        'True: the answer has an enrolment token instead. A machine exchanges it for the agent token, once and within 15 minutes.',
      ),
  })
  .refine(({ agent_name: one, agent_names: several }) => one === undefined || several === undefined, {
    error: 'only one of agent_name and agent_names',
    path: ['agent_names'],
  })
  .meta({ id: 'NewAgentToken' });

const agentToken = z
  .strictObject({
    id: ID,
    name: z.string(),
    last4: z.string().describe('The last four characters of the token.'),
    agent_name: z.string().nullable().describe('The first of its agent names; null: the token is unused.'),
    agent_names: z.array(z.string()).describe('The agent names that the token accepts.'),
    bound_at: TIME.nullable().describe(
      'When the first connection set its name; null: the names were given, or the token is unused.',
    ),
    pool: z
      .boolean()
      .describe('Every process that connects with the token may use the secrets of its agent.'),
    created_by: ID.describe('The member who created it.'),
    created_at: TIME,
    revoked_at: TIME.nullable(),
    enrol_until: TIME.nullable().describe(
      'Until when its enrolment token can be exchanged; null: it was exchanged, or it was made without enrolment.',
    ),
  })
  .meta({ id: 'AgentToken', description: 'A token that agents connect with.' });

const madeAgentToken = agentToken
  .extend({
    token: z.string().describe('The token. It is shown only in this answer.'),
    connect_command: z
      .string()
      .nullable()
      .describe(
        'With `enrolment`: the line that installs svc and the agent on a Linux machine with systemd. Null without.',
      ),
  })
  .meta({ id: 'MadeAgentToken' });

const agent = z
  .strictObject({
    name: z.string(),
    id: z.string().describe('The id of the process. It stays the same when the agent restarts.'),
    status: z.enum(['online', 'offline']),
    version: z.string().describe('The version of the program.'),
    host: z.strictObject({ hostname: z.string(), os: z.string(), arch: z.string() }),
    local_only: z.boolean().describe('The agent runs only the endpoints of its own file.'),
    connected_at: TIME.nullable().describe('Null: the agent is offline.'),
    last_seen_at: TIME,
    journal_damaged_at: TIME.nullable().describe(
      'When the agent began as a new instance because its state folder was damaged or older than the record of the hub.',
    ),
    running: z.int().describe('How many executions run on it now.'),
    endpoints: z.array(z.string()).describe('The slugs that agents of this name have registered.'),
  })
  .meta({
    id: 'Agent',
    description: 'An agent process that is connected, or was connected in the last 30 days.',
  });

const EXAMPLE = {
  id: EXAMPLE_ID,
  name: 'build server',
  last4: 'p0Wd',
  agent_name: null,
  agent_names: [],
  bound_at: null,
  pool: false,
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
  revoked_at: null,
  enrol_until: null,
};

const enrolment = z
  .strictObject({
    token: z.string({ error: 'an enrolment token' }).max(200, { error: 'an enrolment token' }),
  })
  .meta({ id: 'AgentEnrolment' });

const enrolledAgent = z
  .strictObject({ token: z.string().describe('The agent token. It is shown only in this answer.') })
  .meta({ id: 'EnrolledAgent' });

/** The tokens that agents connect with, and the connected agents. */
export const agentRouteRows = {
  makeAgentToken: {
    method: 'POST',
    path: '/agent-tokens',
    summary: 'Create an agent token',
    access: member('agent.manage'),
    body: body(newAgentToken, { name: 'build server' }),
    answers: {
      201: json('The new token. Agents can connect with it.', madeAgentToken, {
        ...EXAMPLE,
        token: 'svc_at_9sT…p0Wd',
        connect_command: null,
      }),
    },
  },
  enrolAgent: {
    method: 'POST',
    path: '/agent-enrolments',
    summary: 'Exchange an enrolment token for its agent token',
    description:
      'An enrolment token works once, within 15 minutes. `svc agent install` calls this; it needs no other credential.',
    access: OPEN,
    body: body(enrolment, { token: 'svc_et_9sT…p0Wd' }),
    answers: {
      200: json('The agent token.', enrolledAgent, { token: 'svc_at_4kQ…x1Yz' }),
    },
    refusals: ['unauthorized', 'rate_limited'],
  },
  listAgentTokens: {
    method: 'GET',
    path: '/agent-tokens',
    summary: 'List agent tokens',
    access: member('agent.manage'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The tokens.', pageSchema(agentToken), { items: [EXAMPLE], next_cursor: null }) },
  },
  revokeAgentToken: {
    method: 'DELETE',
    path: '/agent-tokens/{id}',
    summary: 'Revoke an agent token and close its connections',
    access: member('agent.manage'),
    answers: { 204: empty('The token is revoked.') },
  },
  listAgents: {
    method: 'GET',
    path: '/agents',
    summary: 'List agents',
    description: 'Lists the agents that are connected, or were connected in the last 30 days.',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The agents.', pageSchema(agent), {
        items: [
          {
            name: 'default',
            id: '3f1d0a6b52c94e87',
            status: 'online',
            version: '0.1.0',
            host: { hostname: 'build-1', os: 'linux', arch: 'x64' },
            local_only: false,
            connected_at: EXAMPLE_TIME,
            last_seen_at: EXAMPLE_TIME,
            journal_damaged_at: null,
            running: 1,
            endpoints: ['deploy'],
          },
        ],
        next_cursor: null,
      }),
    },
  },
  connectAgent: {
    method: 'GET',
    path: '/agents/connect',
    summary: 'Connect an agent',
    description: 'Opens a WebSocket. docs/internals/protocol.md describes its frames.',
    access: { kind: 'agent' },
    query: 'ignored',
    answers: { 101: empty('The connection is open.') },
    refusals: ['invalid_argument'],
  },
} as const satisfies Routes;
