import { readJsonText } from '@svc/core/api/call-values';
import { readJson } from '@svc/core/api/json/read-json';
import { ACCESS_MS } from '@svc/core/oauth/decide-token';
import { resourceMetadata, serverMetadata } from '@svc/core/oauth/metadata';
import { Refusal, refuse } from '@svc/core/refusal';
import { hashToken } from '../accounts/make-tokens.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { limitSignInsFrom } from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import { originOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import { reply } from '../platform/http/reply.ts';
import { readPageForm } from '../platform/pages/page.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import { registerClient } from './find-client.ts';
import { exchangeCode, refreshTokens, type TokenAnswer } from './issue-tokens.ts';
import { revokeGrant } from './revoke-grant.ts';
import type { Grants } from './store/grant-store.ts';

export interface TokenRoutesDeps {
  readonly accounts: Pick<Accounts, 'member'>;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly grants: Grants;
  readonly limiter: RateLimiter;
  readonly openStreams: OpenStreams;
  readonly random: Random;
  readonly settings: Settings;
  readonly vault: Vault;
}

type Routes = Pick<
  Handlers,
  | 'describeAuthorizationServer'
  | 'describeResource'
  | 'describeMcp'
  | 'describeMcpOfWorkspace'
  | 'exchangeToken'
  | 'revokeToken'
  | 'registerClient'
>;

/** One client refreshes once an hour; a network may hold many of them. */
const TOKENS_PER_MINUTE = 120;

/** The endpoints of the authorization server for programs: metadata, tokens, registration. */
export function tokenRoutes(deps: TokenRoutesDeps): Routes {
  const { hubUrl, hasClientRegistration } = deps.settings;
  return {
    describeAuthorizationServer: () => serverMetadata(hubUrl, { canRegister: hasClientRegistration }),
    describeResource: () => resourceMetadata(hubUrl, undefined),
    describeMcp: () => resourceMetadata(hubUrl, undefined),
    describeMcpOfWorkspace: ({ parameters: { username } }) =>
      resourceMetadata(hubUrl, encodeURIComponent(username)),
    async exchangeToken({ request }) {
      limitTokens(deps, request);
      const form = await readPageForm(request);
      const fields = fieldsOf(form);
      if (fields === undefined) return failed('invalid_request', 'a field is given twice');
      const { grant_type: type, client_id: clientId, resource } = fields;
      if (!clientId) return failed('invalid_request', 'client_id is missing');
      const from = originOf(deps, request);
      switch (type) {
        case 'authorization_code': {
          const { code, code_verifier: verifier, redirect_uri: redirectUri } = fields;
          if (!code || !verifier || !VERIFIER.test(verifier))
            return failed('invalid_request', 'code and code_verifier expected');
          return answerOf(
            await exchangeCode(deps, { code, verifier, clientId, redirectUri, resource }, from),
          );
        }
        case 'refresh_token': {
          const { refresh_token: refreshToken } = fields;
          if (!refreshToken) return failed('invalid_request', 'refresh_token is missing');
          return answerOf(await refreshTokens(deps, { refreshToken, clientId, resource }, from));
        }
        default:
          return failed('unsupported_grant_type', 'authorization_code or refresh_token expected');
      }
    },
    async revokeToken({ request }) {
      limitTokens(deps, request);
      const form = await readPageForm(request);
      const found = await deps.grants.byToken(hashToken(form.get('token') ?? ''));
      if (found === undefined || found.grant.clientId !== form.get('client_id')) return undefined;
      const { id, clientName, userId, workspaceId } = found.grant;
      const member = await deps.accounts.member(workspaceId, userId);
      const actor = { kind: 'member', id: userId, name: member?.email ?? `${clientName} ${id}` } as const;
      await revokeGrant(deps, found.grant, { actor, from: originOf(deps, request) });
      return undefined;
    },
    async registerClient({ request }) {
      if (!hasClientRegistration) throw refuse('not_found', 'this hub takes no registrations of clients');
      limitSignInsFrom(deps, request);
      const document = readJson(await readJsonText(request));
      try {
        const { id, name, redirectUris } = registerClient(deps, document);
        return reply(201, {
          client_id: id,
          client_id_issued_at: Math.floor(deps.clock.nowMs() / 1000),
          client_name: name,
          redirect_uris: redirectUris,
          token_endpoint_auth_method: 'none' as const,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return failed('invalid_client_metadata', error.message);
      }
    },
  };
}

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

function fieldsOf(form: URLSearchParams): Readonly<Record<string, string | undefined>> | undefined {
  const pairs = [...form];
  const fields = Object.fromEntries(pairs);
  return Object.keys(fields).length === pairs.length ? fields : undefined;
}

function limitTokens({ limiter, addressOf, settings }: TokenRoutesDeps, request: Request): void {
  if (settings.rates.signIn === 'off') return;
  limiter.take(`tokens ${limitedNetwork(addressOf(request))}`, TOKENS_PER_MINUTE);
}

function answerOf(answer: TokenAnswer) {
  if (answer.kind === 'refused') return failed(answer.error, MEANING[answer.error]);
  return reply(200, {
    access_token: answer.access,
    token_type: 'Bearer' as const,
    expires_in: ACCESS_MS / 1000,
    refresh_token: answer.refresh,
    scope: answer.scopes,
  });
}

const MEANING = {
  invalid_grant:
    'this code or refresh token does not work: it is unknown, used, expired, revoked or of another client',
  invalid_target: 'resource: the one of the authorization request expected',
} as const;

type OAuthError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_client_metadata';

function failed(error: OAuthError, description: string) {
  return reply(400, { error, error_description: description, code: error });
}
