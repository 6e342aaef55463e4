import { OPEN } from '../contract/access.ts';
import { empty } from '../contract/answer.ts';
import type { Routes } from '../contract/route.ts';

const TOKEN =
  'For the provider: takes a form (`application/x-www-form-urlencoded`) with a `logout_token` (OpenID Connect Back-Channel Logout 1.0). Its signature is the only credential.';
const LOGOUT = {
  method: 'POST',
  access: OPEN,
  answers: { 200: empty('The sessions have ended, or there were none.') },
  refusals: [
    'not_found',
    'invalid_argument',
    'unsupported_media_type',
    'payload_too_large',
    'rate_limited',
    'unavailable',
  ],
} as const;

/** Where providers report sign-outs (decisions 88 and 107, sign-out at the provider). */
export const providerLogoutRouteRows = {
  endProviderSessions: {
    ...LOGOUT,
    path: '/login/oidc/logout',
    summary: 'Sign out whom the OpenID provider has signed out',
    description: `${TOKEN} The sessions that came from that sign-in end, with their streams.`,
  },
  endWorkspaceProviderSessions: {
    ...LOGOUT,
    path: '/login/workspace/{username}/logout',
    summary: 'Sign out whom the provider of a workspace has signed out',
    description: `${TOKEN} The sessions for this workspace that came from that sign-in end, with their streams.`,
  },
} as const satisfies Routes;
