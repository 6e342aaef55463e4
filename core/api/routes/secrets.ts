import { z } from 'zod';
import { isAgentName } from '../../protocol/agent-name.ts';
import { GRANT_KINDS } from '../../secret/grant.ts';
import { member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const MAX_AGENTS = 100;
const AGENT_ERROR = 'the name of an agent';
const AGENTS_ERROR = `1 to ${MAX_AGENTS} names of agents`;

const newSecret = z
  .strictObject({
    value: z.string({ error: 'a text' }).describe('Only commands ever receive it.'),
    agents: z
      .array(z.string({ error: AGENT_ERROR }).refine(isAgentName, { error: AGENT_ERROR }), {
        error: AGENTS_ERROR,
      })
      .min(1, { error: AGENTS_ERROR })
      .max(MAX_AGENTS, { error: AGENTS_ERROR })
      .optional()
      .describe('The only agents whose commands may use it. Without it: all of the workspace.'),
  })
  .meta({ id: 'NewSecret' });

const secret = z
  .strictObject({
    name: z.string(),
    agents: z.array(z.string()).nullable().describe('The only agents whose commands may use it; null: all.'),
    key_id: z
      .string()
      .describe('The key of the hub that encrypts the value. It changes with the master key.'),
    created_at: TIME,
    updated_at: TIME.describe('When the value was last set.'),
    updated_by: z.string().describe('The member who set the value.'),
  })
  .meta({ id: 'Secret', description: 'A managed secret, without its value.' });

const SUBJECT_KIND =
  '`agent`: the token of an agent; `process`: another process that uses the token; `public` and `schedule`: an endpoint of a ' +
  'file that is called without a key, or that has a schedule.';

const grant = z
  .strictObject({
    secret: z.string(),
    kind: z.enum(GRANT_KINDS).describe(SUBJECT_KIND),
    id: z.string().describe('The id of the token, the process or the endpoint.'),
    name: z.string().describe('The name of the agent or of the endpoint.'),
    about: z.string().nullable().describe('The name of the token, or the machine of the process.'),
    state: z.enum(['waiting', 'allowed', 'refused', 'granted']).describe('`granted`: no decision is needed.'),
    question: z.string().describe('The question that an admin decides.'),
    decided_by: z.string().nullable().describe('The member who decided.'),
    decided_at: TIME.nullable(),
  })
  .meta({ id: 'SecretGrant', description: 'Whether a token, a process or an endpoint may use a secret.' });

const grantDecision = z
  .strictObject({
    secret: z.string({ error: 'the name of a secret' }),
    kind: z.enum(GRANT_KINDS, { error: `one of ${GRANT_KINDS.join(', ')}` }),
    id: z.string({ error: 'an id, as the list of grants shows it' }),
    decision: z.enum(['allow', 'refuse'], { error: '"allow" or "refuse"' }),
  })
  .meta({ id: 'SecretGrantDecision' });

const EXAMPLE_GRANT = {
  secret: 'DEPLOY_TOKEN',
  kind: 'agent',
  id: EXAMPLE_ID,
  name: 'build-1',
  about: 'build server',
  state: 'waiting',
  question: 'may `build-1` have `DEPLOY_TOKEN`?',
  decided_by: null,
  decided_at: null,
} as const;

/** Managed secrets, which commands reference as `$svc:NAME` (decision 13, managed secrets). */
export const secretRouteRows = {
  setSecret: {
    method: 'PUT',
    path: '/secrets/{secret}',
    summary: 'Create or replace a secret',
    description:
      'Commands reference it as `$svc:NAME`. The value is encrypted at rest, given only to commands that name it, and ' +
      'masked in what they print; it cannot be read back.',
    access: member('secret.manage'),
    body: body(newSecret, { value: 'correct horse battery staple', agents: ['build-server'] }),
    answers: { 204: empty('The secret is set. Executions that start from now on get it.') },
    refusals: ['limit_reached'],
  },
  listSecrets: {
    method: 'GET',
    path: '/secrets',
    summary: 'List secrets, without their values',
    access: member('secret.manage'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The secrets, by name.', pageSchema(secret), {
        items: [
          {
            name: 'DEPLOY_TOKEN',
            agents: ['build-server'],
            key_id: '0123456789abcdef',
            created_at: EXAMPLE_TIME,
            updated_at: EXAMPLE_TIME,
            updated_by: EXAMPLE_USER_ID,
          },
        ],
        next_cursor: null,
      }),
    },
  },
  deleteSecret: {
    method: 'DELETE',
    path: '/secrets/{secret}',
    summary: 'Delete a secret',
    description: 'Calls of endpoints that reference it are then refused.',
    access: member('secret.manage'),
    answers: { 204: empty('The secret is deleted.') },
  },
  listSecretGrants: {
    method: 'GET',
    path: '/secret-grants',
    summary: 'List the grants of secrets, with those that wait for a decision',
    description:
      'Only agents that existed when the secret was set, or that its owner named, get it. A later agent needs the decision of an ' +
      'admin, and so does an endpoint of a file that is public or has a schedule.',
    access: member('secret.manage'),
    query: z.strictObject({
      ...PAGE_QUERY,
      state: z
        .enum(['waiting', 'allowed', 'refused', 'granted'], {
          error: 'one of waiting, allowed, refused, granted',
        })
        .optional()
        .describe('Only grants in this state.'),
    }),
    answers: {
      200: json('The grants, by secret.', pageSchema(grant), { items: [EXAMPLE_GRANT], next_cursor: null }),
    },
  },
  decideSecretGrant: {
    method: 'POST',
    path: '/secret-grants',
    summary: 'Allow or refuse the use of a secret',
    description:
      'The decision applies to executions that start from now on. The last decision counts, until the secret is deleted.',
    access: member('secret.manage'),
    body: body(grantDecision, {
      secret: 'DEPLOY_TOKEN',
      kind: 'agent',
      id: EXAMPLE_ID,
      decision: 'allow',
    }),
    answers: {
      200: json('The decided grant.', grant, {
        ...EXAMPLE_GRANT,
        state: 'allowed',
        decided_by: EXAMPLE_USER_ID,
        decided_at: EXAMPLE_TIME,
      }),
    },
    refusals: ['not_found'],
  },
} as const satisfies Routes;
