import { GROUP_SCHEMA } from './group.ts';
import { USER_SCHEMA } from './user.ts';

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const RESOURCE_TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** The most resources on one page. */
export const MAX_RESOURCES = 200;

/** What this hub has of the standard (RFC 7643, section 5). */
export function serviceProviderConfig(baseUrl: string) {
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESOURCES },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'The token of the workspace, as Authorization: Bearer.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  };
}

/** The resource types (RFC 7643, section 6). */
export function resourceTypes(baseUrl: string) {
  const type = (id: string, endpoint: string, schema: string) => ({
    schemas: [RESOURCE_TYPE_SCHEMA],
    id,
    name: id,
    endpoint,
    schema,
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${id}` },
  });
  return [type('User', '/Users', USER_SCHEMA), type('Group', '/Groups', GROUP_SCHEMA)];
}

const TEXT = {
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const;
const FLAG = {
  type: 'boolean',
  multiValued: false,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
} as const;
const COMPLEX = { type: 'complex', required: false, mutability: 'readWrite', returned: 'default' } as const;
const EXTERNAL_ID = { ...TEXT, name: 'externalId', description: 'The id at the provider.', caseExact: true };

/** The attributes that this hub keeps (RFC 7643, section 7). */
export function schemas(baseUrl: string) {
  const schema = (id: string, name: string, attributes: readonly object[]) => ({
    schemas: [SCHEMA_SCHEMA],
    id,
    name,
    attributes,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
  });
  return [
    schema(USER_SCHEMA, 'User', [
      {
        ...TEXT,
        name: 'userName',
        description: 'The name at the provider.',
        required: true,
        uniqueness: 'server',
      },
      EXTERNAL_ID,
      { ...TEXT, name: 'displayName', description: 'The name for people.' },
      {
        ...COMPLEX,
        name: 'name',
        description: 'The parts of the name.',
        multiValued: false,
        subAttributes: [
          { ...TEXT, name: 'givenName', description: 'The given name.' },
          { ...TEXT, name: 'familyName', description: 'The family name.' },
        ],
      },
      {
        ...COMPLEX,
        name: 'emails',
        description:
          'The addresses. The person signs in with the primary one at the time of the first activation.',
        multiValued: true,
        subAttributes: [
          { ...TEXT, name: 'value', description: 'The address.' },
          { ...TEXT, name: 'type', description: 'The kind of address, such as work.' },
          { ...FLAG, name: 'primary', description: 'Whether it is the first choice.' },
        ],
      },
      { ...FLAG, name: 'active', description: 'Whether the person is a member of the workspace.' },
    ]),
    schema(GROUP_SCHEMA, 'Group', [
      {
        ...TEXT,
        name: 'displayName',
        description: 'The name, by which the workspace gives it a role.',
        required: true,
        uniqueness: 'server',
      },
      EXTERNAL_ID,
      {
        ...COMPLEX,
        name: 'members',
        description: 'The users in the group.',
        multiValued: true,
        subAttributes: [
          { ...TEXT, name: 'value', description: 'The id of the user.', mutability: 'immutable' },
          { ...TEXT, name: 'display', description: 'The user name.', mutability: 'readOnly' },
        ],
      },
    ]),
  ];
}

/** A page of resources (RFC 7644, section 3.4.2). */
export function listResponse<Resource>(
  resources: readonly Resource[],
  totalResults: number,
  startIndex: number,
) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
