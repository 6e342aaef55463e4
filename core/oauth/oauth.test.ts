import { describe, expect, test } from 'bun:test';
import { readAuthorizationRequest } from './authorization-request.ts';
import { clientUrlProblem, readClientMetadata, unsupportedAuthentication } from './client-metadata.ts';
import { type DecidedGrant, decideCode, decideRefresh } from './decide-token.ts';
import { isRegistered, redirectProblem, withParameters } from './redirect-uri.ts';
import { isAccepted, readResource } from './resource.ts';
import { cutByRole, isEmpty, narrowed, readScopes, scopesText, scopesToRun } from './scopes.ts';

const HUB = 'https://svc.example.com';

describe('a redirect URI', () => {
  test.each([
    ['https://app.example/callback', true],
    ['http://127.0.0.1:4711/cb', true],
    ['http://[::1]/cb', true],
    ['http://localhost:1/cb', true],
    ['cursor://anysphere.cursor-mcp/oauth/callback', true],
    ['com.example.app:/oauth', true],
    ['http://app.example/cb', false],
    ['http://localhost.evil.example/cb', false],
    ['http://127.0.0.1.evil.example/cb', false],
    ['https://user:pass@app.example/cb', false],
    ['https://app.example/cb#here', false],
    ['https://app.example/cb#', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['unknown://x', false],
    ['/callback', false],
    [`https://app.example/${'x'.repeat(500)}`, false],
  ])('%s may get codes: %p', (uri, may) => {
    expect(redirectProblem(uri) === undefined).toBe(may);
  });

  test.each([
    ['https://a.example/cb', 'https://a.example/cb', true],
    ['https://a.example/cb/', 'https://a.example/cb', false],
    ['https://A.example/cb', 'https://a.example/cb', false],
    ['https://a.example/cb?x=1', 'https://a.example/cb', false],
    ['https://a.example:444/cb', 'https://a.example/cb', false],
    ['http://127.0.0.1:5000/cb', 'http://127.0.0.1/cb', true],
    ['http://127.0.0.1:5000/cb', 'http://127.0.0.1:6000/cb', true],
    ['http://127.0.0.1:5000/other', 'http://127.0.0.1/cb', false],
    ['http://localhost:5000/cb', 'http://127.0.0.1/cb', false],
    ['http://user@127.0.0.1:5000/cb', 'http://127.0.0.1/cb', false],
    ['https://127.0.0.1/cb', 'http://127.0.0.1/cb', false],
  ])('%s is that of a client with %s: %p', (asked, registered, is) => {
    expect(isRegistered(asked, ['https://other.example/', registered])).toBe(is);
  });

  test('keeps its own query, and no value adds a parameter', () => {
    expect(withParameters('https://a.example/cb?x=1', { code: 'a&iss=b', state: undefined, iss: HUB })).toBe(
      `https://a.example/cb?x=1&code=a%26iss%3Db&iss=${encodeURIComponent(HUB)}`,
    );
  });
});

describe('scopes', () => {
  test.each([
    [undefined, 'run:*'],
    ['', 'run:*'],
    ['openid offline_access', 'run:*'],
    ['approve', 'run:*'],
    ['run:disk approve', 'run:disk'],
    ['run:b run:a run:b read', 'run:a run:b read'],
    ['run:a run:*', 'run:*'],
    ['read', 'read'],
    ['run:../x read', 'read'],
  ])('%p is read as %s', (text, read) => {
    expect(scopesText(readScopes(text))).toBe(read);
  });

  test.each([
    ['run:*', 'run:*', 'run:*'],
    ['run:*', 'run:a', 'run:a'],
    ['run:a run:b', 'run:*', 'run:a run:b'],
    ['run:a', 'run:a run:b read', 'run:a'],
    ['run:a read', 'run:b', ''],
    ['read', 'run:* read', 'read'],
  ])('of %s a user who chooses %s gives "%s"', (asked, chosen, given) => {
    const result = narrowed(readScopes(asked), readScopes(chosen));
    expect([scopesText(result), isEmpty(result)]).toEqual([given, given === '']);
  });

  test.each([
    ['run:a read', 'b', 'run:a run:b read'],
    ['read', 'b', 'run:b read'],
    ['run:a', 'a', undefined],
    ['run:*', 'b', undefined],
    ['run:a', 'b"', undefined],
    [Array.from({ length: 200 }, (_, n) => `run:e${n}`).join(' '), 'b', undefined],
  ])('%s is too little for %s: %p is asked for', (granted, slug, scopes) => {
    expect(scopesToRun(readScopes(granted), slug)).toBe(scopes);
  });

  test('end with the membership, and last with any role', () => {
    const scopes = readScopes('run:a read');
    expect(isEmpty(cutByRole(scopes, undefined))).toBe(true);
    expect(cutByRole(scopes, 'member')).toEqual(scopes);
  });
});

describe('a resource', () => {
  test.each([
    [undefined, `${HUB}/mcp`, undefined],
    [`${HUB}/mcp`, `${HUB}/mcp`, undefined],
    [`${HUB}/mcp/`, `${HUB}/mcp`, undefined],
    [`${HUB}/mcp/ada`, `${HUB}/mcp/ada`, 'ada'],
  ])('%p is the MCP server %s', (text, uri, username) => {
    expect(readResource(HUB, text)).toEqual({ uri, username });
  });

  test.each([HUB, `${HUB}/`, `${HUB}/v1`, `${HUB}/mcpx`, `${HUB}/mcp/a/b`, `${HUB}.evil.example/mcp`, ''])(
    '%s is another one',
    (text) => {
      expect(readResource(HUB, text)).toBeUndefined();
    },
  );

  test('is good for itself and below', () => {
    expect(isAccepted(`${HUB}/mcp`, `${HUB}/mcp/ada`)).toBe(true);
    expect(isAccepted(`${HUB}/mcp/ada`, `${HUB}/mcp/ada`)).toBe(true);
    expect(isAccepted(`${HUB}/mcp/ada`, `${HUB}/mcp`)).toBe(false);
    expect(isAccepted(`${HUB}/mcp/ada`, `${HUB}/mcp/adam`)).toBe(false);
  });
});

describe('an authorization request', () => {
  const RIGHT: [string, string][] = [
    ['response_type', 'code'],
    ['client_id', 'https://app.example/client'],
    ['redirect_uri', 'https://app.example/cb'],
    ['code_challenge', 'x'.repeat(43)],
    ['code_challenge_method', 'S256'],
  ];
  const problem = (pairs: [string, string][]) => {
    const read = readAuthorizationRequest(HUB, pairs);
    return 'problem' in read ? read.problem : undefined;
  };

  test('is right, with unknown parameters too', () => {
    expect(problem([...RIGHT, ['nonce', 'x'], ['scope', 'read']])).toBeUndefined();
  });

  test.each(RIGHT.map(([name]) => name))('needs %s', (name) => {
    expect(problem(RIGHT.filter(([other]) => other !== name))).toContain(name);
  });

  test.each(['client_id', 'redirect_uri', 'resource'])('with two of %s is refused', (name) => {
    expect(problem([...RIGHT, [name, 'a'], [name, 'b']])).toContain('twice');
  });
});

describe('the metadata of a client', () => {
  const redirect_uris = ['https://app.example/cb'];
  test.each([
    [{ redirect_uris }, 'A program'],
    [{ redirect_uris, client_name: ' Cl\u202eaude\n<b> ' }, 'Cl aude <b>'],
    [{ redirect_uris, client_name: 'x'.repeat(300), logo_uri: 'https://x' }, 'x'.repeat(100)],
  ])('%j has the name %s', (value, name) => {
    expect(readClientMetadata(value)).toEqual({ client: { name, redirectUris: redirect_uris } });
  });

  test.each([
    null,
    [[]],
    {},
    { redirect_uris: [] },
    { redirect_uris: ['javascript:alert(1)'] },
    { redirect_uris: Array.from({ length: 21 }, () => 'https://app.example/cb') },
    { redirect_uris, client_secret: 'x' },
    { redirect_uris, grant_types: ['client_credentials'] },
    { redirect_uris, response_types: ['token'] },
  ])('%j is refused', (value) => {
    expect(readClientMetadata(value)).toHaveProperty('problem');
  });

  test('of a client with a key names the method', () => {
    expect(unsupportedAuthentication({ token_endpoint_auth_method: 'private_key_jwt' })).toBe(
      'private_key_jwt',
    );
    expect(unsupportedAuthentication({ token_endpoint_auth_method: 'none' })).toBeUndefined();
  });

  test.each([
    ['https://app.example/client.json', true],
    ['https://app.example:8443/client', true],
    ['http://app.example/client', false],
    ['https://app.example/', false],
    ['https://app.example', false],
    ['https://app.example/a/../client', false],
    ['https://user@app.example/client', false],
    ['https://app.example/client#x', false],
    ['client', false],
  ])('may be at %s: %p', (url, may) => {
    expect(clientUrlProblem(url) === undefined).toBe(may);
  });
});

describe('a code', () => {
  const GRANT: DecidedGrant = {
    state: 'issued',
    clientId: 'client',
    redirectUri: 'https://app.example/cb',
    resource: `${HUB}/mcp`,
    codeChallenge: 'challenge',
    codeExpiresAtMs: 1_000,
    generation: 0,
    isRevoked: false,
  };
  const GIVEN = {
    clientId: 'client',
    redirectUri: 'https://app.example/cb',
    challenge: 'challenge',
    resource: `${HUB}/mcp`,
  };

  test.each([
    ['as it was asked for', {}, {}, 'issue'],
    ['without a resource', {}, { resource: undefined }, 'issue'],
    ['used before', { state: 'active' }, {}, 'revoke'],
    ['used before, by another client', { state: 'active' }, { clientId: 'other' }, 'revoke'],
    ['revoked', { state: 'revoked' }, {}, 'revoke'],
    ['too late', { codeExpiresAtMs: 500 }, {}, 'refuse'],
    ['at the last moment', { codeExpiresAtMs: 501 }, {}, 'issue'],
    ['of another client', {}, { clientId: 'other' }, 'refuse'],
    ['without its redirect URI', {}, { redirectUri: undefined }, 'refuse'],
    ['with another verifier', {}, { challenge: 'other' }, 'refuse'],
    ['for another resource', {}, { resource: 'https://evil.example/mcp' }, 'refuse'],
  ] as const)('%s', (_, grant, given, kind) => {
    expect(decideCode({ ...GRANT, ...grant }, { ...GIVEN, ...given }, 500).kind).toBe(kind);
  });

  const ACTIVE: DecidedGrant = { ...GRANT, state: 'active', generation: 3 };
  const REFRESH = { clientId: 'client', resource: undefined, generation: 3, expiresAtMs: 1_000 };
  test.each([
    ['the present one', {}, {}, 'issue'],
    ['an older one', {}, { generation: 2 }, 'revoke'],
    ['an older one that has expired', {}, { generation: 2, expiresAtMs: 0 }, 'revoke'],
    ['one that has expired', {}, { expiresAtMs: 500 }, 'refuse'],
    ['of another client', {}, { clientId: 'other', generation: 2 }, 'refuse'],
    ['of a revoked grant', { isRevoked: true }, {}, 'refuse'],
    ['for another resource', {}, { resource: `${HUB}/mcp/ada` }, 'refuse'],
  ] as const)('a refresh token: %s', (_, grant, given, kind) => {
    expect(decideRefresh({ ...ACTIVE, ...grant }, { ...REFRESH, ...given }, 500).kind).toBe(kind);
  });
});
