import { SCOPES_SUPPORTED } from './scopes.ts';

/** The metadata of the hub as an authorization server (RFC 8414, RFC 9207, client id metadata documents). */
export function serverMetadata(hubUrl: string, { canRegister }: { readonly canRegister: boolean }) {
  return {
    issuer: hubUrl,
    authorization_endpoint: `${hubUrl}/oauth/authorize`,
    token_endpoint: `${hubUrl}/oauth/token`,
    revocation_endpoint: `${hubUrl}/oauth/revoke`,
    ...(canRegister ? { registration_endpoint: `${hubUrl}/oauth/register` } : {}),
    scopes_supported: [...SCOPES_SUPPORTED],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** The metadata of the MCP server (RFC 9728). `username`: of its address for one workspace. */
export function resourceMetadata(hubUrl: string, username: string | undefined) {
  return {
    resource: username === undefined ? `${hubUrl}/mcp` : `${hubUrl}/mcp/${username}`,
    authorization_servers: [hubUrl],
    scopes_supported: [...SCOPES_SUPPORTED],
    bearer_methods_supported: ['header'],
    resource_name: 'svc',
  };
}

/** The `WWW-Authenticate` of a request without a valid token, from which a client finds the authorization server (RFC 9728, 5.1). */
export function challengeOf(
  hubUrl: string,
  { username, hasToken }: { readonly username: string | undefined; readonly hasToken: boolean },
): string {
  const about = `${metadataOf(hubUrl, username)}, scope="run:*"`;
  return hasToken ? `Bearer error="invalid_token", ${about}` : `Bearer ${about}`;
}

/** The `WWW-Authenticate` for a token with too few scopes. It names the scopes that the client asks its user for (RFC 6750, 3.1). */
export function stepUpOf(
  hubUrl: string,
  { username, scopes }: { readonly username: string | undefined; readonly scopes: string },
): string {
  return `Bearer error="insufficient_scope", scope="${scopes}", ${metadataOf(hubUrl, username)}`;
}

function metadataOf(hubUrl: string, username: string | undefined): string {
  const path = username === undefined ? '' : `/${encodeURIComponent(username)}`;
  return `resource_metadata="${hubUrl}/.well-known/oauth-protected-resource/mcp${path}"`;
}
