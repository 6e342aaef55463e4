import { z } from 'zod';
import { SCIM } from '../contract/access.ts';
import { empty, type JsonAnswer, json } from '../contract/answer.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const resource = z
  .looseObject({ schemas: z.array(z.string()), id: z.string().optional() })
  .meta({ id: 'ScimResource', description: 'A resource of SCIM (RFC 7643).' });
const list = z
  .strictObject({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(resource),
  })
  .meta({ id: 'ScimList', description: 'A page of resources (RFC 7644, section 3.4.2).' });

const META = { created: EXAMPLE_TIME, lastModified: EXAMPLE_TIME };
const USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  id: EXAMPLE_USER_ID,
  externalId: '7f3a',
  userName: 'lin@example.com',
  emails: [{ value: 'lin@example.com', type: 'work', primary: true }],
  active: true,
  groups: [],
  meta: {
    resourceType: 'User',
    ...META,
    location: `https://hub.example.com/scim/v2/Users/${EXAMPLE_USER_ID}`,
  },
};
const GROUP = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  id: EXAMPLE_ID,
  displayName: 'platform',
  members: [{ value: EXAMPLE_USER_ID, display: 'lin@example.com' }],
  meta: { resourceType: 'Group', ...META, location: `https://hub.example.com/scim/v2/Groups/${EXAMPLE_ID}` },
};

function scim<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
): JsonAnswer<Schema> {
  return { ...json(description, schema, example), mediaType: 'application/scim+json' };
}

function listOf(example: z.input<typeof resource>): JsonAnswer<typeof list> {
  return scim('A page.', list, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 1,
    startIndex: 1,
    itemsPerPage: 1,
    Resources: [example],
  });
}

const attributeList = (text: string) =>
  z.string().max(2_000, { error: 'at most 2000 characters' }).optional().describe(text);
const ATTRIBUTES = {
  attributes: attributeList('Only these attributes: names with commas between them.'),
  excludedAttributes: attributeList('Without these attributes, such as `members`.'),
} as const;
const number = (text: string) =>
  z
    .string({ error: 'a whole number' })
    .regex(/^-?\d{1,9}$/, { error: 'a whole number' })
    .transform(Number)
    .pipe(z.int({ error: 'a whole number' }))
    .optional()
    .describe(text);

/** Other parameters are read over: providers append some of their own. */
const ONE = z.looseObject(ATTRIBUTES);
const LIST = z.looseObject({
  ...ATTRIBUTES,
  filter: z
    .string()
    .max(1_000, { error: 'at most 1000 characters' })
    .optional()
    .describe(
      'Comparisons with `eq`, joined by `and`: of `userName`, `externalId`, `displayName`, `id` or `emails.value`.',
    ),
  startIndex: number('The number of the first resource; the first of all is 1.'),
  count: number('The most resources; at most, and by default, 200.'),
});

const ANY = { access: SCIM, refusesOn: 'scim' } as const;
const CHANGE = {
  200: scim('The resource.', resource, USER),
} as const;
const USER_DOCUMENT =
  'A user (RFC 7643, section 4.1). The hub keeps userName, externalId, displayName, name, emails and active.';
const GROUP_DOCUMENT =
  'A group (RFC 7643, section 4.2): displayName, externalId, and members by the id of the user.';
const PATCH_DOCUMENT = 'A PatchOp (RFC 7644, section 3.5.2).';

/** SCIM 2.0 for identity providers (decision 91, provisioning by SCIM). */
export const scimRouteRows = {
  showScimConfig: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/ServiceProviderConfig',
    summary: 'Show what the hub has of SCIM',
    query: z.looseObject({}),
    answers: {
      200: scim('The configuration.', resource, {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      }),
    },
  },
  listScimResourceTypes: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/ResourceTypes',
    summary: 'List the types of resources',
    query: z.looseObject({}),
    answers: { 200: listOf({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'], id: 'User' }) },
  },
  listScimSchemas: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/Schemas',
    summary: 'List the schemas of the resources',
    query: z.looseObject({}),
    answers: {
      200: listOf({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'], id: USER.schemas[0] }),
    },
  },
  listScimUsers: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/Users',
    summary: 'List the users of the provider',
    query: LIST,
    answers: { 200: listOf(USER) },
  },
  addScimUser: {
    ...ANY,
    method: 'POST',
    path: '/scim/v2/Users',
    summary: 'Add a user',
    description: 'An active user becomes a member of the workspace.',
    query: ONE,
    scimDocument: USER_DOCUMENT,
    answers: { 201: scim('The user.', resource, USER) },
    refusals: ['already_member', 'seat_limit_reached'],
  },
  showScimUser: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/Users/{id}',
    summary: 'Show a user',
    query: ONE,
    answers: { 200: scim('The user.', resource, USER) },
  },
  replaceScimUser: {
    ...ANY,
    method: 'PUT',
    path: '/scim/v2/Users/{id}',
    summary: 'Replace a user',
    description: 'Without `active`, the user stays as active as they were.',
    query: ONE,
    scimDocument: USER_DOCUMENT,
    answers: CHANGE,
    refusals: ['already_member', 'seat_limit_reached'],
  },
  changeScimUser: {
    ...ANY,
    method: 'PATCH',
    path: '/scim/v2/Users/{id}',
    summary: 'Change a user',
    description: 'With `active: false`, the membership ends with all effects of a removal by hand.',
    query: ONE,
    scimDocument: PATCH_DOCUMENT,
    answers: CHANGE,
    refusals: ['already_member', 'seat_limit_reached'],
  },
  removeScimUser: {
    ...ANY,
    method: 'DELETE',
    path: '/scim/v2/Users/{id}',
    summary: 'Remove a user and their membership',
    query: z.looseObject({}),
    answers: { 204: empty('The user is removed.') },
  },
  listScimGroups: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/Groups',
    summary: 'List the groups of the provider',
    query: LIST,
    answers: { 200: listOf(GROUP) },
  },
  addScimGroup: {
    ...ANY,
    method: 'POST',
    path: '/scim/v2/Groups',
    summary: 'Add a group',
    query: ONE,
    scimDocument: GROUP_DOCUMENT,
    answers: { 201: scim('The group.', resource, GROUP) },
    refusals: ['already_member', 'seat_limit_reached'],
  },
  showScimGroup: {
    ...ANY,
    method: 'GET',
    path: '/scim/v2/Groups/{id}',
    summary: 'Show a group',
    query: ONE,
    answers: { 200: scim('The group.', resource, GROUP) },
  },
  replaceScimGroup: {
    ...ANY,
    method: 'PUT',
    path: '/scim/v2/Groups/{id}',
    summary: 'Replace a group with its members',
    query: ONE,
    scimDocument: GROUP_DOCUMENT,
    answers: CHANGE,
    refusals: ['already_member', 'seat_limit_reached'],
  },
  changeScimGroup: {
    ...ANY,
    method: 'PATCH',
    path: '/scim/v2/Groups/{id}',
    summary: 'Change a group or its members',
    description:
      'With `attributes` or `excludedAttributes`, the answer is the group. Otherwise it is 204 without a body.',
    query: ONE,
    scimDocument: PATCH_DOCUMENT,
    answers: { ...CHANGE, 204: empty('The group is changed.') },
    refusals: ['already_member', 'seat_limit_reached'],
  },
  removeScimGroup: {
    ...ANY,
    method: 'DELETE',
    path: '/scim/v2/Groups/{id}',
    summary: 'Remove a group',
    description: 'Its members stay in the workspace, with the role that they have without it.',
    query: z.looseObject({}),
    answers: { 204: empty('The group is removed.') },
  },
} as const satisfies Routes;
