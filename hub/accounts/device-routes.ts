import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal, refuse } from '@svc/core/refusal';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Acting, acting, type IdentityDeps, refuseForeignForm } from '../http/identity.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import { reply } from '../platform/http/reply.ts';
import { onPage } from '../platform/pages/on-page.ts';
import { readForm } from '../platform/pages/read-form.ts';
import type { DeviceCodeDecision, Workspace } from './account-ports.ts';
import {
  DEVICE_TOKEN_MS,
  decideDeviceLogin,
  findDeviceLogin,
  pollDeviceLogin,
  startDeviceLogin,
} from './device-login.ts';
import { confirmPage, decidedPage, enterCodePage, linkSentPage, signInFirstPage } from './device-page.ts';
import { type SendSignInLinkDeps, type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { limitSignIns, limitSignInsFrom } from './sign-in-limit.ts';
import { returnCookie } from './sign-in-return.ts';
import type { DeviceCodes } from './store/device-codes.ts';

export interface DeviceRoutesDeps extends SendSignInLinkDeps, IdentityDeps {
  readonly deviceCodes: DeviceCodes;
}

type Routes = Pick<
  Handlers,
  'startDeviceLogin' | 'pollDeviceLogin' | 'showDevice' | 'decideDevice' | 'signInForDevice'
>;

export interface DeviceParts extends SignInParts {
  readonly userCodeKey: Uint8Array;
}

/** Programs sign in with a code that a person confirms in a browser: RFC 8628, with JSON instead of forms. */
export function deviceRoutes(deps: DeviceRoutesDeps, parts: DeviceParts): Routes {
  const { hubUrl } = deps.settings;
  const ports = { ...deps, userCodeKey: parts.userCodeKey };
  return {
    async startDeviceLogin({ request, body: { client_name: clientName } }) {
      limitSignInsFrom(deps, request);
      const started = await startDeviceLogin(ports, clientName);
      return {
        device_code: started.deviceCode,
        user_code: started.userCode,
        verification_uri: `${hubUrl}/device`,
        verification_uri_complete: `${hubUrl}/device?user_code=${started.userCode}`,
        expires_in: started.expiresInSec,
        interval: started.intervalSec,
      };
    },
    async pollDeviceLogin({ request, body: { device_code: deviceCode } }) {
      const answer = await pollDeviceLogin(ports, deviceCode, originOf(deps, request));
      if (answer.kind !== 'signed_in') return notYet(answer.kind);
      return {
        access_token: answer.token,
        token_type: 'Bearer' as const,
        expires_in: DEVICE_TOKEN_MS / 1000,
        username: answer.workspace.username ?? null,
      };
    },
    showDevice: ({ request, query }) =>
      onPage('Cannot connect the program', async () => {
        const userCode = query.user_code ?? '';
        const user = await acting(deps, request, ['session']);
        if (user === undefined) return signInFirstPage(userCode);
        if (userCode === '') return enterCodePage();
        limitGuesses(deps, request, user);
        return orEnterAgain(async () => {
          const { clientName } = await findDeviceLogin(ports, userCode);
          const workspaces = await workspacesOf(deps, user);
          return confirmPage({ userCode, clientName, email: user.member.email, workspaces });
        });
      }),
    decideDevice: ({ request }) =>
      onPage('Cannot connect the program', async () => {
        refuseForeignForm(request, hubUrl);
        const user = await acting(deps, request, ['session']);
        const form = await readForm(request);
        const userCode = form.get('user_code') ?? '';
        if (user === undefined) return signInFirstPage(userCode);
        limitGuesses(deps, request, user);
        const decision = await readDecision(deps, user, form);
        return orEnterAgain(async () => {
          const source = sourceOf(deps, request, user.member);
          await decideDeviceLogin(ports, userCode, decision, { ...source, workspaceId: user.workspace.id });
          return decidedPage(decision.state);
        });
      }),
    signInForDevice: ({ request }) =>
      onPage('Cannot connect the program', async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        const form = await readForm(request);
        await sendSignInLink(deps, parts, form.get('email') ?? '');
        const response = linkSentPage();
        const cookie = returnCookie(hubUrl, 'device', form.get('user_code') ?? '');
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}

/** A polling program gets the `error` of RFC 8628, 3.5; `code` is the code of our refusal, as everywhere else. */
const NOT_YET = {
  authorization_pending: 'nobody has decided yet',
  slow_down: 'asked too soon: wait five seconds longer between two questions',
  expired_token: 'this code is unknown, was used or has expired: begin again',
  access_denied: 'the request was denied',
} as const;

function notYet(code: keyof typeof NOT_YET) {
  return reply(400, { error: code, error_description: NOT_YET[code], code });
}

/** Limits the tries of user codes, both per user and per network, against guessing. */
function limitGuesses(deps: DeviceRoutesDeps, request: Request, { userId }: Acting): void {
  limitSignIns(deps, `device user:${userId}`);
  limitSignIns(deps, `device address:${limitedNetwork(deps.addressOf(request))}`);
}

async function workspacesOf({ accounts }: DeviceRoutesDeps, { userId }: Acting): Promise<Workspace[]> {
  return (await accounts.workspacesOf(userId)).map(({ workspace }) => workspace);
}

async function readDecision(
  deps: DeviceRoutesDeps,
  user: Acting,
  form: URLSearchParams,
): Promise<DeviceCodeDecision> {
  switch (form.get('decision')) {
    case 'deny':
      return { state: 'denied' };
    case 'approve': {
      const workspaces = await workspacesOf(deps, user);
      const chosen = workspaces.find(({ id }) => id === form.get('workspace'));
      if (chosen === undefined) throw refuse('invalid_argument', 'one of your workspaces expected');
      return { state: 'approved', userId: user.userId, workspaceId: chosen.id };
    }
    default:
      throw refuse('invalid_argument', 'the form says neither yes nor no');
  }
}

/** Shows the form again after an unknown code. */
async function orEnterAgain(show: () => Promise<Response>): Promise<Response> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    return enterCodePage({ message: error.message, status: REFUSAL_STATUS[error.code] });
  }
}
