import {
  CHALLENGE_MS,
  noPasskeysHere,
  type RelyingParty,
  relyingPartyOf,
} from '@svc/core/passkey/relying-party';
import { Refusal, refuse } from '@svc/core/refusal';
import type { AccessToken } from '../accounts/account-ports.ts';
import { limitSignIns, limitSignInsFrom, type SignInLimitDeps } from '../accounts/sign-in.ts';
import { enter, recordNoGroups, type SessionDeps } from '../accounts/sign-in-routes.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { pendingSession, type SignedIn } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import { endedPendingSessionCookie } from '../http/session-cookies.ts';
import type { Identities } from '../identity/store/identity-store.ts';
import type { ProviderSessions } from '../identity/store/provider-session-store.ts';
import { assertionOf } from '../passkeys/confirm-with-passkey.ts';
import type { Passkeys } from '../passkeys/store/passkey-store.ts';
import { newChallenge, openChallenge } from '../passkeys/verify-passkey.ts';
import { readCookie, setCookie } from '../platform/http/cookie.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { html } from '../platform/pages/html.ts';
import { onPage, readPageForm } from '../platform/pages/page.ts';
import type { Vault } from '../platform/world.ts';
import { type CompleteSignInDeps, completeSignIn, signInOver } from './complete-sign-in.ts';
import { renewCodes, type SecondFactorDeps, switchOff, switchOn } from './manage-second-factor.ts';
import type { GivenFactor } from './prove-second-factor.ts';
import { secondFactorPage } from './second-factor-page.ts';

export type SecondFactorRoutesDeps = SessionDeps &
  SignInLimitDeps &
  CompleteSignInDeps &
  SecondFactorDeps & {
    readonly identities: Pick<Identities, 'useSignIn'>;
    readonly passkeys: Passkeys;
    readonly providerSessions: Pick<ProviderSessions, 'has'>;
    readonly vault: Vault;
  };

interface SecondFactorParts {
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

type Routes = Pick<
  Handlers,
  | 'askSecondFactor'
  | 'beginSecondFactorSignIn'
  | 'confirmSecondFactor'
  | 'showSecondFactor'
  | 'beginSecondFactor'
  | 'switchSecondFactorOn'
  | 'switchSecondFactorOff'
  | 'makeRecoveryCodes'
>;

const COOKIE = 'svc_second_factor';
const NOT_SIGNED_IN = 'You are not signed in';
const AGAIN = html`<p><a href="/login">Back to sign-in</a></p>`;
/** The fields of an answer in base64url; an authenticator sends far less. */
const BYTES = /^[\w-]{1,4000}$/;

/** Proof of the second factor at sign-in, and the second factor of an account (decision 100, second factor). */
export function secondFactorRoutes(deps: SecondFactorRoutesDeps, { onMail }: SecondFactorParts): Routes {
  const { hubUrl } = deps.settings;
  const party = relyingPartyOf(hubUrl);
  const required = (): RelyingParty => {
    if (party !== undefined) return party;
    throw refuse('not_found', noPasskeysHere(hubUrl));
  };
  const begin = async ({ id, userId }: Pick<AccessToken, 'id' | 'userId'>) => {
    const { id: rp_id } = required();
    const allow = (await deps.passkeys.ofUser(userId)).map(({ credentialId }) => credentialId);
    const { challenge, sealed } = newChallenge(deps, { kind: 'second_factor', sessionId: id });
    const cookie = setCookie(hubUrl, COOKIE, sealed, CHALLENGE_MS / 1000);
    return reply(200, { challenge, rp_id, allow }, { 'Set-Cookie': cookie });
  };
  const byPasskey = (request: Request, { id, userId }: AccessToken, answer: PasskeyAnswer) =>
    ({
      kind: 'passkey',
      party: required(),
      begun: openChallenge(deps, readCookie(request, hubUrl, COOKIE) ?? '', {
        kind: 'second_factor',
        sessionId: id,
      }),
      assertion: assertionOf(answer, userId),
    }) as const;
  const given = (
    request: Request,
    access: AccessToken,
    {
      passkey,
      recovery_code: typed,
    }: { passkey?: PasskeyAnswer | undefined; recovery_code?: string | undefined },
  ): GivenFactor => {
    if (passkey !== undefined && typed === undefined) return byPasskey(request, access, passkey);
    if (typed !== undefined && passkey === undefined) return { kind: 'recovery_code', typed };
    throw refuse('invalid_argument', 'passkey or recovery_code: exactly one of them expected');
  };
  const ownerOf = (request: Request, { home: { member }, access: session }: SignedIn) => ({
    member,
    session,
    by: sourceOf(deps, request, member),
  });
  const limit = ({ userId }: Pick<AccessToken, 'userId'>) => limitSignIns(deps, `second factor:${userId}`);
  const pendingOf = async (request: Request): Promise<AccessToken> => {
    const pending = await pendingSession(deps, request);
    if (pending === undefined) throw signInOver();
    return pending;
  };
  const confirm = async (request: Request): Promise<Response> => {
    refuseForeignForm(request, hubUrl);
    limitSignInsFrom(deps, request);
    const form = await readPageForm(request);
    const pending = await pendingOf(request);
    limit(pending);
    const typed = form.get('code');
    try {
      const factor = typed === null ? byPasskey(request, pending, answerIn(form)) : codeOf(typed);
      const { token, mail, member } = await completeSignIn(deps, pending, factor, (member) =>
        sourceOf(deps, request, member),
      );
      if (mail !== undefined) onMail(mail);
      // A sign-in at a provider has recorded the groups already.
      if (!(await deps.providerSessions.has(pending.id)))
        await recordNoGroups(deps, member, sourceOf(deps, request, member));
      const response = await enter(deps, request, { ...pending, token });
      response.headers.append('Set-Cookie', endedPendingSessionCookie(hubUrl));
      return response;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'forbidden') throw error;
      return secondFactorPage(hubUrl, error.message);
    }
  };
  return {
    askSecondFactor: ({ request }) =>
      onPage(
        NOT_SIGNED_IN,
        async () => {
          await pendingOf(request);
          return secondFactorPage(hubUrl);
        },
        AGAIN,
      ),
    async beginSecondFactorSignIn({ request }) {
      refuseForeignForm(request, hubUrl);
      limitSignInsFrom(deps, request);
      return begin(await pendingOf(request));
    },
    async confirmSecondFactor({ request }) {
      const response = await onPage(NOT_SIGNED_IN, () => confirm(request), AGAIN);
      response.headers.append('Set-Cookie', setCookie(hubUrl, COOKIE, '', 0));
      return response;
    },
    async showSecondFactor({ user: { userId } }) {
      const [since, left, passkeys] = await Promise.all([
        deps.secondFactors.since(userId),
        deps.secondFactors.codesLeft(userId),
        deps.passkeys.ofUser(userId),
      ]);
      return {
        on: since !== undefined,
        since: time(since),
        recovery_codes_left: left,
        passkeys: passkeys.length,
        supported: party !== undefined,
      };
    },
    async beginSecondFactor({ user: { access } }) {
      return begin(access);
    },
    async switchSecondFactorOn({ request, user, body: { passkey } }) {
      limit(user);
      const owner = ownerOf(request, user);
      const { codes, mail } = await switchOn(deps, owner, byPasskey(request, user.access, passkey));
      onMail(mail);
      return { recovery_codes: [...codes] };
    },
    async switchSecondFactorOff({ request, user, body }) {
      limit(user);
      onMail(await switchOff(deps, ownerOf(request, user), given(request, user.access, body)));
    },
    async makeRecoveryCodes({ request, user, body }) {
      limit(user);
      const { codes, mail } = await renewCodes(
        deps,
        ownerOf(request, user),
        given(request, user.access, body),
      );
      onMail(mail);
      return { recovery_codes: [...codes] };
    },
  };
}

type PasskeyAnswer = Parameters<typeof assertionOf>[0];

function codeOf(typed: string): GivenFactor {
  return { kind: 'recovery_code', typed };
}

/** The answer of a passkey, which the script of the page has put into the form. */
function answerIn(form: URLSearchParams): PasskeyAnswer {
  const field = (name: string) => {
    const value = form.get(name) ?? '';
    if (!BYTES.test(value)) throw refuse('forbidden', 'the answer of the passkey is not complete');
    return value;
  };
  return {
    id: field('id'),
    client_data: field('client_data'),
    authenticator_data: field('authenticator_data'),
    signature: field('signature'),
    user_handle: form.get('user_handle') || undefined,
  };
}
