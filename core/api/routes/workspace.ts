import { z } from 'zod';
import { PLANS } from '../../plan/plans.ts';
import { ROLES } from '../../workspace/permissions.ts';
import { OLD_URLS, USERNAME_PATTERN } from '../../workspace/username.ts';
import { EVERY_SESSION, OWNER, USER } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, oneOf, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const USERNAME_ERROR = '2 to 39 lower-case letters, digits and "-", with no "-" at the ends,';

const givenUsername = z
  .string({ error: USERNAME_ERROR })
  .regex(USERNAME_PATTERN, { error: USERNAME_ERROR })
  .describe('The username, which becomes part of the URLs of the workspace.');

const oldUrls = oneOf(OLD_URLS).describe(
  '`redirect`: URLs with the old username answer 308 with the same path under the new one. `gone`: they answer 410.',
);

const newUsername = z.strictObject({ username: givenUsername }).meta({ id: 'NewUsername' });

const changedUsername = z
  .strictObject({ username: givenUsername, old_urls: oldUrls })
  .meta({ id: 'ChangedUsername' });

const username = z.string().nullable().describe('Null: the owner has not chosen one yet.');

const workspace = z
  .strictObject({
    username,
    plan: z.enum(PLANS),
    role: z.enum(ROLES).describe('The role of the member.'),
    email: z.string().describe('The e-mail address of the member.'),
    account_id: ID.describe('The id of the account of the member.'),
    provider_only: z
      .boolean()
      .describe('The session came from the sign-in provider of this workspace, and is for it only.'),
    second_factor_missing: z
      .boolean()
      .describe(
        'This workspace demands a second factor that the member has not switched on. Other requests for it are refused.',
      ),
    operator: z.boolean().describe('The member may see the pages of operators, such as `/outbox`.'),
    workspaces: z
      .array(z.strictObject({ username, role: z.enum(ROLES) }))
      .describe('All workspaces of the member. `X-Svc-Workspace` selects the one to act in.'),
  })
  .meta({ id: 'Workspace' });

const listedWorkspace = z
  .strictObject({
    id: ID,
    username,
    plan: z.enum(PLANS),
    role: z.enum(ROLES).describe('The role of the member.'),
  })
  .meta({ id: 'ListedWorkspace' });

const usernames = z
  .strictObject({
    username,
    former: z
      .array(
        z.strictObject({
          username: z.string(),
          old_urls: oldUrls,
          until: TIME.describe('When the workspace took another username.'),
        }),
      )
      .describe('The former usernames, oldest first. They stay reserved for the workspace.'),
  })
  .meta({ id: 'Usernames' });

const USERNAMES: z.output<typeof usernames> = {
  username: 'countess',
  former: [{ username: 'ada', old_urls: 'redirect', until: EXAMPLE_TIME }],
};

/** Only a person in a browser changes the URLs of a workspace. */
const OWNER_IN_SESSION = { ...OWNER, credentials: ['session'] } as const;

/** The workspace of a request (decision 4, the workspace of a request). */
export const workspaceRouteRows = {
  showWorkspace: {
    method: 'GET',
    path: '/workspace',
    summary: 'Show the workspace and the member of this request',
    access: EVERY_SESSION,
    answers: {
      200: json('The workspace.', workspace, {
        username: 'ada',
        plan: 'team',
        role: 'owner',
        email: 'ada@example.com',
        account_id: EXAMPLE_USER_ID,
        provider_only: false,
        second_factor_missing: false,
        operator: false,
        workspaces: [{ username: 'ada', role: 'owner' }],
      }),
    },
  },
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    summary: 'List your workspaces',
    description:
      '`X-Svc-Workspace` with a username selects the workspace in which a session acts. Default: your own.',
    access: EVERY_SESSION,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The workspaces.', pageSchema(listedWorkspace), {
        items: [{ id: EXAMPLE_ID, username: 'ada', plan: 'team', role: 'owner' }],
        next_cursor: null,
      }),
    },
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    summary: 'Create another workspace of your own',
    description:
      'You own the new workspace. It has the default plan of the hub, and a quota of its own. Sessions select it with `X-Svc-Workspace`. An access token belongs to one workspace, so make another token for the new one.',
    access: USER,
    body: body(newUsername, { username: 'lovelace' }),
    answers: {
      201: json('The workspace.', listedWorkspace, {
        id: EXAMPLE_ID,
        username: 'lovelace',
        plan: 'team',
        role: 'owner',
      }),
    },
    refusals: ['invalid_argument', 'username_taken', 'limit_reached', 'rate_limited'],
  },
  chooseUsername: {
    method: 'PUT',
    path: '/workspace/username',
    summary: 'Choose the username, once',
    access: OWNER,
    body: body(newUsername, { username: 'ada' }),
    answers: {
      200: json('The username is set.', z.strictObject({ username: z.string() }), { username: 'ada' }),
    },
    refusals: ['username_taken', 'username_chosen'],
  },
  showUsername: {
    method: 'GET',
    path: '/workspace/username',
    summary: 'Show the username and the former ones',
    access: OWNER,
    answers: { 200: json('The usernames.', usernames, USERNAMES) },
    refusals: ['not_found'],
  },
  changeUsername: {
    method: 'PATCH',
    path: '/workspace/username',
    summary: 'Change the username',
    description:
      'The change is in effect at every hub before the answer. The old username stays reserved for the workspace, which can take it back.',
    access: OWNER_IN_SESSION,
    body: body(changedUsername, { username: 'countess', old_urls: 'redirect' }),
    answers: { 200: json('The usernames.', usernames, USERNAMES) },
    refusals: ['invalid_argument', 'username_taken', 'limit_reached', 'not_found'],
  },
  changeOldUrls: {
    method: 'PATCH',
    path: '/workspace/former-usernames/{username}',
    summary: 'Change what URLs with a former username answer',
    access: OWNER_IN_SESSION,
    body: body(z.strictObject({ old_urls: oldUrls }), { old_urls: 'gone' }),
    answers: { 200: json('The usernames.', usernames, USERNAMES) },
    refusals: ['not_found'],
  },
} as const satisfies Routes;
