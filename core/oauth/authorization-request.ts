import { type ProtectedResource, readResource } from './resource.ts';
import { readScopes, type Scopes } from './scopes.ts';

/** A checked request of a client for a user's authorization (RFC 6749, 4.1.1, and RFC 7636). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string;
  readonly resource: ProtectedResource;
  readonly scopes: Scopes;
}

type Read = { readonly request: AuthorizationRequest } | { readonly problem: string };

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_CHARS = 2_000;

/** Reads the query of the authorization endpoint. The problem is a clause for the page: nothing is sent to the client. */
export function readAuthorizationRequest(
  hubUrl: string,
  pairs: readonly (readonly [name: string, value: string])[],
): Read {
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index);
  if (twice !== undefined) return { problem: `"${twice[0].slice(0, 40)}" is given twice` };
  const long = pairs.find(([, value]) => value.length > MAX_CHARS);
  if (long !== undefined) return { problem: `"${long[0].slice(0, 40)}" is too long` };
  const given: Readonly<Record<string, string | undefined>> = Object.fromEntries(pairs);
  const { client_id: clientId, redirect_uri: redirectUri, code_challenge: codeChallenge } = given;
  if (!clientId) return { problem: 'client_id is missing' };
  if (!redirectUri) return { problem: 'redirect_uri is missing' };
  if (given.response_type !== 'code') return { problem: 'response_type: "code" expected' };
  if (codeChallenge === undefined || !CHALLENGE.test(codeChallenge))
    return { problem: 'code_challenge: the SHA-256 of a verifier expected (PKCE)' };
  // Without a method RFC 7636 means `plain`.
  if (given.code_challenge_method !== 'S256') return { problem: 'code_challenge_method: "S256" expected' };
  const resource = readResource(hubUrl, given.resource);
  if (resource === undefined) return { problem: 'resource: the MCP server of this hub expected' };
  const scopes = readScopes(given.scope);
  return { request: { clientId, redirectUri, state: given.state, codeChallenge, resource, scopes } };
}
