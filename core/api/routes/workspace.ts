import { z } from 'zod';
import { PLANS } from '../../plan/plans.ts';
import { ROLES } from '../../workspace/permissions.ts';
import { USERNAME_PATTERN } from '../../workspace/username.ts';
import { OWNER, USER } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, PAGE_QUERY, pageSchema } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID } from './examples.ts';

const USERNAME_ERROR = '2 to 39 lower-case letters, digits and "-", with no "-" at the ends,';

const newUsername = z
  .strictObject({
    username: z
      .string({ error: USERNAME_ERROR })
      .regex(USERNAME_PATTERN, { error: USERNAME_ERROR })
      .describe('Part of the URLs of the workspace from now on.'),
  })
  .meta({ id: 'NewUsername' });

const username = z.string().nullable().describe('Null until the owner has chosen one.');

const workspace = z
  .strictObject({
    username,
    plan: z.enum(PLANS),
    role: z.enum(ROLES).describe('Of whoever asks.'),
    email: z.string().describe('Of whoever asks.'),
    operator: z.boolean().describe('Whoever asks may see the pages of operators, such as `/outbox`.'),
    workspaces: z
      .array(z.strictObject({ username, role: z.enum(ROLES) }))
      .describe('All that they are a member of; `X-Svc-Workspace` names the one to act in.'),
  })
  .meta({ id: 'Workspace' });

const listedWorkspace = z
  .strictObject({ id: ID, username, plan: z.enum(PLANS), role: z.enum(ROLES).describe('Of whoever asks.') })
  .meta({ id: 'ListedWorkspace' });

/** The workspace that a request is about (decision 4). */
export const workspaceRouteRows = {
  showWorkspace: {
    method: 'GET',
    path: '/workspace',
    summary: 'Show the workspace, and who is asking',
    access: USER,
    answers: {
      200: json('The workspace.', workspace, {
        username: 'ada',
        plan: 'team',
        role: 'owner',
        email: 'ada@example.com',
        operator: false,
        workspaces: [{ username: 'ada', role: 'owner' }],
      }),
    },
  },
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    summary: 'List the workspaces that one is a member of',
    description:
      '`X-Svc-Workspace` with a username names the one that a session acts in; without it: the own.',
    access: USER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The workspaces.', pageSchema(listedWorkspace), {
        items: [{ id: EXAMPLE_ID, username: 'ada', plan: 'team', role: 'owner' }],
        next_cursor: null,
      }),
    },
  },
  chooseUsername: {
    method: 'PUT',
    path: '/workspace/username',
    summary: 'Choose the username, once',
    access: OWNER,
    body: body(newUsername, { username: 'ada' }),
    answers: { 200: json('It is chosen.', z.strictObject({ username: z.string() }), { username: 'ada' }) },
    refusals: ['username_taken', 'username_chosen'],
  },
} as const satisfies Routes;
