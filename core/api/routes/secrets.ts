import { z } from 'zod';
import { isAgentName } from '../../protocol/agent-name.ts';
import { member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { PAGE_QUERY, pageOf, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const MOST_AGENTS = 100;
const AGENT_ERROR = 'the name of an agent';
const AGENTS_ERROR = `1 to ${MOST_AGENTS} names of agents`;

const newSecret = z
  .strictObject({
    value: z.string({ error: 'a text' }).describe('Nothing but commands ever gets it back.'),
    agents: z
      .array(z.string({ error: AGENT_ERROR }).refine(isAgentName, { error: AGENT_ERROR }), {
        error: AGENTS_ERROR,
      })
      .min(1, { error: AGENTS_ERROR })
      .max(MOST_AGENTS, { error: AGENTS_ERROR })
      .optional()
      .describe('The only agents whose commands may have it; without it: all of the workspace.'),
  })
  .meta({ id: 'NewSecret' });

const secret = z
  .strictObject({
    name: z.string(),
    agents: z.array(z.string()).nullable().describe('The only agents whose commands may have it; null: all.'),
    key_id: z.string().describe('Which key of the hub encrypts it; it changes with the master key.'),
    created_at: TIME,
    updated_at: TIME.describe('When its value was last set.'),
    updated_by: z.string().describe('The member who set it.'),
  })
  .meta({ id: 'Secret', description: 'A managed secret, without its value.' });

/** What commands reference as `$svc:NAME` (decision 13). */
export const secretRoutes = {
  setSecret: {
    method: 'PUT',
    path: '/secrets/{secret}',
    summary: 'Set a secret, new or not',
    description:
      'Commands reference it as `$svc:NAME`. The value is encrypted at rest, given only to commands that name it, and ' +
      'masked in what they print; it cannot be read back.',
    access: member('secret.manage'),
    body: body(newSecret, { value: 'correct horse battery staple', agents: ['build-server'] }),
    answers: { 204: empty('It is set, and holds for whatever starts from now on.') },
    refusals: ['limit_reached'],
  },
  listSecrets: {
    method: 'GET',
    path: '/secrets',
    summary: 'List secrets, without their values',
    access: member('secret.manage'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The secrets, by name.', pageOf(secret), {
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
    description: 'Calls of endpoints that reference it are refused from then on.',
    access: member('secret.manage'),
    answers: { 204: empty('It is gone.') },
  },
} as const satisfies Routes;
