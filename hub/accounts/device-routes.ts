import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal, refuse } from '@svc/core/refusal';
import { shownAddress } from '@svc/core/text/shown-address';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Acting, acting, boundSessionOf, type IdentityDeps, openWorkspaces } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import { reply } from '../platform/http/reply.ts';
import { type Html, html } from '../platform/pages/html.ts';
import { onPage, page, readPageForm } from '../platform/pages/page.ts';
import type { DeviceCodeDecision, Workspace } from './account-ports.ts';
import {
  DEVICE_TOKEN_MS,
  decideDeviceLogin,
  findDeviceLogin,
  pollDeviceLogin,
  startDeviceLogin,
} from './device-login.ts';
import {
  limitSignIns,
  limitSignInsFrom,
  type SendSignInLinkDeps,
  type SignInParts,
  sendSignInLink,
} from './sign-in.ts';
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
        const form = await readPageForm(request);
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
        const form = await readPageForm(request);
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
  authorization_pending: 'the request is not decided yet',
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

async function workspacesOf(deps: DeviceRoutesDeps, user: Acting): Promise<Workspace[]> {
  return (await openWorkspaces(deps, user)).map(({ workspace }) => workspace);
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
      return {
        state: 'approved',
        sessionId: user.access.id,
        userId: user.userId,
        workspaceId: chosen.id,
        boundSessionId: boundSessionOf(user),
      };
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

const TITLE = 'Connect a program';

/** Browsers then send the origin of these forms, so that the hub can refuse forms of other sites (decision 34, links that act). */
const HEADERS = { 'Referrer-Policy': 'same-origin' } as const;

/** Asks to sign in first; the mailed link leads back here. */
export function signInFirstPage(userCode: string): Response {
  return devicePage(
    TITLE,
    html`<p>Sign in to continue. We'll email you a link.</p>
<form method="post" action="/device/sign-in"><input type="hidden" name="user_code" value="${userCode}">
<label>Email <input type="email" name="email" required autocomplete="email"></label>
<button>Email me a link</button></form>`,
    401,
  );
}

export function linkSentPage(): Response {
  return devicePage(
    'Check your email',
    html`<p>If this address can sign in, we sent it a link. Open the link in this browser to return here.</p>`,
    202,
  );
}

/** `problem` is the refusal of the previous code. */
export function enterCodePage(problem?: { readonly message: string; readonly status: number }): Response {
  const alert = problem === undefined ? undefined : html`<p role="alert">${problem.message}.</p>`;
  return devicePage(
    TITLE,
    html`${alert}<p>Enter the code that the program shows.</p><form method="get" action="/device">
<label>Code <input name="user_code" required autocomplete="off" autocapitalize="characters" size="10"></label>
<button>Continue</button></form>`,
    problem?.status,
  );
}

export interface Confirmation {
  readonly userCode: string;
  readonly clientName: string | undefined;
  readonly email: string;
  readonly workspaces: readonly Workspace[];
}

/** Shows the request of the program; only the form decides. */
export function confirmPage({ userCode, clientName, email, workspaces }: Confirmation): Response {
  const who = clientName === undefined ? 'A program' : html`A program that calls itself <b>${clientName}</b>`;
  return devicePage(
    'Connect this program?',
    html`<p>${who} wants to act as <b>${shownAddress(email)}</b> and shows the code <b>${userCode}</b>.</p>
<p>Connect only if you just started this program yourself and it shows the same code.</p>
<form method="post" action="/device"><input type="hidden" name="user_code" value="${userCode}">
${workspaceField(workspaces)}
<button name="decision" value="approve">Connect</button>
<button class="other" name="decision" value="deny">Refuse</button></form>`,
  );
}

export function decidedPage(decision: 'approved' | 'denied'): Response {
  return decision === 'approved'
    ? devicePage('Connected', html`<p>The program is signed in. You can close this page.</p>`)
    : devicePage('Refused', html`<p>The program is not signed in. You can close this page.</p>`);
}

/**
 * A drop-down list for several workspaces, a hidden field for one. A member whose own workspace has no username has never used
 * it, so a team is selected, as in the dashboard.
 */
function workspaceField(workspaces: readonly Workspace[]): Html {
  const [only] = workspaces;
  if (workspaces.length <= 1) return html`<input type="hidden" name="workspace" value="${only?.id}">`;
  const likely =
    only?.username === undefined ? workspaces.find(({ username }) => username !== undefined) : only;
  const options = workspaces.map(({ id, username }) => {
    const mark = id === likely?.id ? html` selected` : undefined;
    return html`<option value="${id}"${mark}>${username ?? 'Personal'}</option>`;
  });
  return html`<label>Workspace <select name="workspace">${options}</select></label>`;
}

function devicePage(title: string, body: Html, status = 200): Response {
  return page(title, body, status, HEADERS);
}
