import { z } from 'zod';
import { AI_ACCESS } from '../../mcp/ai-access.ts';
import { serverMetadata } from '../../oauth/metadata.ts';
import { byEndpoint, member, OPEN } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, oneOf, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const ACCESS =
  '`off`: `/mcp` refuses every request. `read_only`: agents call only tools whose endpoint says `effects: read`. `all`: whatever their keys allow.';

const aiAccess = z
  .strictObject({ access: z.enum(AI_ACCESS).describe(ACCESS) })
  .meta({ id: 'AiAccess', description: 'What AI agents may do in the workspace.' });

const newAiAccess = z
  .strictObject({ access: oneOf(AI_ACCESS).describe(ACCESS) })
  .meta({ id: 'NewAiAccess', description: 'What AI agents may do in the workspace.' });

const PAGE = media('text/html', 'A page.');
const FORM = 'Takes a form (`application/x-www-form-urlencoded`).';
const HUB = 'https://svc.example.com';

const texts = z.array(z.string());

const authorizationServer = z
  .strictObject({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    revocation_endpoint: z.url(),
    registration_endpoint: z.url().optional().describe('Only with `SVC_MCP_DCR=on`.'),
    scopes_supported: texts,
    response_types_supported: texts,
    response_modes_supported: texts,
    grant_types_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    revocation_endpoint_auth_methods_supported: texts,
    code_challenge_methods_supported: texts,
    authorization_response_iss_parameter_supported: z.boolean(),
    client_id_metadata_document_supported: z.boolean(),
  })
  .meta({ id: 'AuthorizationServer', description: 'RFC 8414.' });

const protectedResource = z
  .strictObject({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    scopes_supported: texts,
    bearer_methods_supported: texts,
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResource', description: 'RFC 9728.' });

const RESOURCE = {
  resource: `${HUB}/mcp`,
  authorization_servers: [HUB],
  scopes_supported: ['run:*', 'read'],
  bearer_methods_supported: ['header'],
  resource_name: 'svc',
};

const tokens = z
  .strictObject({
    access_token: z.string().describe('For `Authorization: Bearer` at `/mcp` only.'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds.'),
    refresh_token: z.string().describe('Works once; its use makes the next one.'),
    scope: z.string().describe('What the user allowed.'),
  })
  .meta({ id: 'AiClientTokens' });

const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_grant',
  'invalid_target',
  'unsupported_grant_type',
  'invalid_client_metadata',
] as const;

const oauthError = z
  .strictObject({
    error: z.enum(OAUTH_ERRORS).describe('An error code of RFC 6749, 5.2, RFC 7591, 3.2.2, or RFC 8707, 2.'),
    error_description: z.string().describe('A message for people.'),
    code: z.enum(OAUTH_ERRORS).describe('The same as `error`, in the field that all other errors use.'),
  })
  .meta({ id: 'OAuthError' });

const ERROR = json('The request is invalid.', oauthError, {
  error: 'invalid_grant',
  error_description: 'this code or refresh token does not work',
  code: 'invalid_grant',
});

const registration = z
  .strictObject({
    client_id: z.string(),
    client_id_issued_at: z.int().describe('Seconds since 1970.'),
    client_name: z.string(),
    redirect_uris: texts,
    token_endpoint_auth_method: z.literal('none'),
    grant_types: texts,
    response_types: texts,
  })
  .meta({ id: 'RegisteredClient', description: 'RFC 7591.' });

const aiClient = z
  .strictObject({
    id: ID,
    name: z.string().describe('The name that the client gives itself.'),
    host: z.string().nullable().describe('The site that describes the client; null: it registered itself.'),
    scopes: texts.describe('`run:*` or `run:` with a slug, and `read`.'),
    resource: z.string().describe('The address for which the client got access.'),
    allowed_by: ID.describe('The member for whom it acts. Its access ends with their membership.'),
    created_at: TIME,
    last_used_at: TIME.nullable().describe('When it was last used, to the hour; null: never.'),
    expires_at: TIME.describe('When it has to ask again, unless it is used.'),
  })
  .meta({ id: 'AiClient', description: 'A program that acts for a member over MCP.' });

const FORM_REFUSALS = ['unsupported_media_type', 'payload_too_large', 'rate_limited'] as const;

/** The hub as the authorization server of its MCP clients (decision 74, access for AI clients). */
export const aiClientRouteRows = {
  describeAuthorizationServer: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Describe the authorization server',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: json('The metadata.', authorizationServer, serverMetadata(HUB, { canRegister: false })),
    },
  },
  describeResource: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    summary: 'Describe who gives access to the MCP server',
    access: OPEN,
    query: 'ignored',
    answers: { 200: json('The metadata.', protectedResource, RESOURCE) },
  },
  describeMcp: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'Describe who gives access to `/mcp`',
    access: OPEN,
    query: 'ignored',
    answers: { 200: json('The metadata.', protectedResource, RESOURCE) },
  },
  describeMcpOfWorkspace: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp/{username}',
    summary: 'Describe who gives access to `/mcp/{username}`',
    access: OPEN,
    query: 'ignored',
    answers: { 200: json('The metadata.', protectedResource, { ...RESOURCE, resource: `${HUB}/mcp/ada` }) },
  },
  showConsent: {
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'Show the page that allows an AI client',
    description: [
      'The authorization endpoint of RFC 6749, with PKCE (`S256` only) and `resource` (RFC 8707). Opening the page decides',
      'nothing. Wrong requests are answered with a page; the browser is sent to the client only after a decision.',
    ].join(' '),
    access: OPEN,
    query: 'ignored',
    answers: { 200: PAGE },
    refusals: ['invalid_argument', 'forbidden', 'second_factor_required', 'not_found', 'rate_limited'],
    refusesOn: 'page',
  },
  decideConsent: {
    method: 'POST',
    path: '/oauth/authorize',
    summary: 'Allow or refuse an AI client, in a browser',
    description: 'Takes the form of the page, whose fields are sealed for the session.',
    access: OPEN,
    answers: { 303: empty('Redirects to the client, with a code or `access_denied`.') },
    refusals: [
      ...FORM_REFUSALS,
      'invalid_argument',
      'unauthorized',
      'forbidden',
      'second_factor_required',
      'not_found',
    ],
    refusesOn: 'page',
  },
  exchangeToken: {
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a code or a refresh token',
    description: `${FORM} Codes and refresh tokens work once; a second use revokes the access.`,
    access: OPEN,
    answers: {
      200: json('The tokens.', tokens, {
        access_token: 'svc_oa_1yJ8…',
        token_type: 'Bearer',
        expires_in: 3_600,
        refresh_token: 'svc_or_9kQ2…',
        scope: 'run:disk read',
      }),
      400: ERROR,
    },
    refusals: FORM_REFUSALS,
  },
  revokeToken: {
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'Give up access, as its client',
    description: `${FORM} Either token revokes the whole access (RFC 7009). The answer does not tell whether there was one.`,
    access: OPEN,
    answers: { 200: empty('The token no longer works.') },
    refusals: FORM_REFUSALS,
  },
  registerClient: {
    method: 'POST',
    path: '/oauth/register',
    summary: 'Register a client',
    description:
      'Only with `SVC_MCP_DCR=on`, for clients without a metadata document (RFC 7591). The body is the metadata as JSON. Nothing is stored: the id contains the registration.',
    access: OPEN,
    answers: {
      201: json('The client.', registration, {
        client_id: 'dcr_v1.0123…',
        client_id_issued_at: 1_795_000_000,
        client_name: 'Editor',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      }),
      400: ERROR,
    },
    refusals: ['not_found', 'invalid_json', ...FORM_REFUSALS],
  },
  showAiAccess: {
    method: 'GET',
    path: '/workspace/ai-access',
    summary: 'Show what AI agents may do',
    access: byEndpoint(member('endpoint.view'), 'view'),
    answers: { 200: json('The access.', aiAccess, { access: 'all' }) },
  },
  setAiAccess: {
    method: 'PUT',
    path: '/workspace/ai-access',
    summary: 'Change what AI agents may do',
    description:
      'In effect at once at every hub: calls over `/mcp` that are no longer allowed end with a refusal, and their executions continue. ' +
      'An access token of a user of whom an agent has any is refused.',
    access: member('api_key.manage'),
    body: body(newAiAccess, { access: 'read_only' }),
    answers: { 200: json('The new access.', aiAccess, { access: 'read_only' }) },
  },
  listAiClients: {
    method: 'GET',
    path: '/ai-clients',
    summary: 'List the AI clients with access',
    description: 'Members see those that act for them; owner and admins see all of the workspace.',
    access: byEndpoint(member('api_key.manage_own'), 'none'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The clients.', pageSchema(aiClient), {
        items: [
          {
            id: EXAMPLE_ID,
            name: 'Claude',
            host: 'claude.ai',
            scopes: ['run:disk', 'read'],
            resource: `${HUB}/mcp`,
            allowed_by: EXAMPLE_USER_ID,
            created_at: EXAMPLE_TIME,
            last_used_at: null,
            expires_at: '2026-12-20T12:00:00.000Z',
          },
        ],
        next_cursor: null,
      }),
    },
  },
  revokeAiClient: {
    method: 'DELETE',
    path: '/ai-clients/{id}',
    summary: 'Revoke the access of an AI client',
    description:
      'Its tokens stop working at once, and calls that wait for an approval can no longer be approved.',
    access: byEndpoint(member('api_key.manage_own'), 'none'),
    answers: { 204: empty('The access is revoked.') },
  },
} as const satisfies Routes;
