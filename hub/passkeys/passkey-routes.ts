import { noPasskeysHere, type RelyingParty, relyingPartyOf } from '@svc/core/passkey/relying-party';
import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import { limitSignInsFrom, type SignInLimitDeps, withOwnWorkspace } from '../accounts/sign-in.ts';
import { type SessionDeps, signInBrowser } from '../accounts/sign-in-routes.ts';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { SignedIn } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import { readCookie, setCookie } from '../platform/http/cookie.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { pageOf } from '../platform/page-of-items.ts';
import { html } from '../platform/pages/html.ts';
import { onPage, readPageForm } from '../platform/pages/page.ts';
import type { Vault } from '../platform/world.ts';
import {
  addPasskey,
  type PasskeyDeps,
  refuseOldSignIn,
  refuseOneTooMany,
  removePasskey,
  renamePasskey,
  userOfPasskey,
} from './manage-passkeys.ts';
import type { Passkey } from './passkey-ports.ts';
import { type ChallengePurpose, newChallenge, openChallenge } from './verify-passkey.ts';

type PasskeyRoutesDeps = PasskeyDeps & SessionDeps & SignInLimitDeps & { readonly vault: Vault };

interface PasskeyParts {
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

type Routes = Pick<
  Handlers,
  | 'beginPasskeySignIn'
  | 'signInWithPasskey'
  | 'listPasskeys'
  | 'beginPasskey'
  | 'addPasskey'
  | 'renamePasskey'
  | 'removePasskey'
>;

const COOKIE = 'svc_passkey';
const LIFE_SEC = 5 * 60;
const NOT_SIGNED_IN = 'You are not signed in';
const AGAIN = html`<p><a href="/login">Back to sign-in</a></p>`;
/** The bytes of an answer in base64url; an authenticator sends far less. */
const BYTES = /^[\w-]{1,4000}$/;

/** Sign-in with a passkey, and the passkeys of a person (decision 86, passkeys). */
export function passkeyRoutes(deps: PasskeyRoutesDeps, { defaultPlan, onMail }: PasskeyParts): Routes {
  const { hubUrl } = deps.settings;
  const party = relyingPartyOf(hubUrl);
  const required = (): RelyingParty => {
    if (party !== undefined) return party;
    throw refuse('not_found', noPasskeysHere(hubUrl));
  };
  const begin = (purpose: ChallengePurpose) => {
    const { challenge, sealed } = newChallenge(deps, purpose);
    return { challenge, cookie: setCookie(hubUrl, COOKIE, sealed, LIFE_SEC) };
  };
  const begun = (request: Request, purpose: ChallengePurpose) =>
    openChallenge(deps, readCookie(request, hubUrl, COOKIE) ?? '', purpose);
  const ownerOf = (request: Request, { home: { member }, access }: SignedIn) => ({
    member,
    sessionId: access.id,
    by: sourceOf(deps, request, member),
  });
  const signIn = async (request: Request): Promise<Response> => {
    refuseForeignForm(request, hubUrl);
    limitSignInsFrom(deps, request);
    const form = await readPageForm(request);
    const relyingParty = required();
    const field = (name: string) => {
      const value = form.get(name) ?? '';
      if (!BYTES.test(value)) throw refuse('unauthorized', 'the answer of the passkey is not complete');
      return value;
    };
    const assertion = {
      id: field('id'),
      clientData: field('client_data'),
      authenticatorData: field('authenticator_data'),
      signature: field('signature'),
      userHandle: field('user_handle'),
    };
    const challenge = begun(request, { kind: 'sign_in' });
    const ports = { ...deps, ...deps.settings, defaultPlan };
    const { user, passkey, used } = await userOfPasskey(ports, relyingParty, challenge, assertion);
    await withOwnWorkspace(ports, user, originOf(deps, request));
    return signInBrowser(deps, request, {
      userId: user.id,
      details: { passkey: passkey.name },
      passkeyId: passkey.id,
      alongside: () => [deps.passkeys.using(passkey, used)],
      to: form.get('to') ?? '',
    });
  };
  return {
    beginPasskeySignIn({ request }) {
      refuseForeignForm(request, hubUrl);
      limitSignInsFrom(deps, request);
      const { id: rp_id } = required();
      const { challenge, cookie } = begin({ kind: 'sign_in' });
      return reply(200, { challenge, rp_id }, { 'Set-Cookie': cookie });
    },
    async signInWithPasskey({ request }) {
      const response = await onPage(NOT_SIGNED_IN, () => signIn(request), AGAIN);
      response.headers.append('Set-Cookie', setCookie(hubUrl, COOKIE, '', 0));
      return response;
    },
    async listPasskeys({ user, query }) {
      const page = pageOf(
        (await deps.passkeys.ofUser(user.userId)).map(describePasskey),
        ({ id }) => id,
        query,
      );
      return { ...page, supported: party !== undefined };
    },
    async beginPasskey({ user }) {
      const { id: rp_id } = required();
      refuseOldSignIn(deps, user.access);
      const all = await refuseOneTooMany(deps, user.userId);
      const { challenge, cookie } = begin({ kind: 'add', sessionId: user.access.id });
      const handle = Buffer.from(user.userId).toString('base64url');
      const exclude = all.map(({ credentialId }) => credentialId);
      const answer = { challenge, rp_id, user: { id: handle, name: user.home.member.email }, exclude };
      return reply(200, answer, { 'Set-Cookie': cookie });
    },
    async addPasskey({ request, user, body }) {
      const relyingParty = required();
      refuseOldSignIn(deps, user.access);
      const challenge = begun(request, { kind: 'add', sessionId: user.access.id });
      const given = {
        name: body.name,
        id: body.id,
        clientData: body.client_data,
        attestation: body.attestation,
      };
      const { passkey, mail } = await addPasskey(
        deps,
        relyingParty,
        challenge,
        given,
        ownerOf(request, user),
      );
      onMail(mail);
      return describePasskey(passkey);
    },
    async renamePasskey({ request, user, parameters: { id }, body: { name } }) {
      return describePasskey(await renamePasskey(deps, id, name, ownerOf(request, user)));
    },
    async removePasskey({ request, user, parameters: { id } }) {
      refuseOldSignIn(deps, user.access);
      await removePasskey(deps, id, user.access, ownerOf(request, user));
    },
  };
}

function describePasskey({ id, name, isBackedUp, createdAtMs, usedAtMs }: Passkey) {
  return {
    id,
    name,
    backed_up: isBackedUp === 1,
    created_at: time(createdAtMs),
    last_used_at: time(usedAtMs),
  };
}
