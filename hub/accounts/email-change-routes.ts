import type { EmailChange } from '@svc/core/account/email-change';
import { refuse } from '@svc/core/refusal';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, signedIn } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import { onPage, readPageForm } from '../platform/pages/page.ts';
import type { Random } from '../platform/world.ts';
import {
  confirmEmail,
  findEmailLink,
  type OpenedEmailLink,
  ownerOf,
  requestEmailChange,
  stopEmailChange,
} from './change-email.ts';
import {
  emailConfirmedPage,
  emailLinkPage,
  emailStoppedPage,
  signInForEmailPage,
} from './email-change-page.ts';
import { limitSignIns, limitSignInsFrom, type SignInLimitDeps, type SignInParts } from './sign-in.ts';
import type { EmailChanges } from './store/email-changes.ts';

interface EmailChangeRoutesDeps extends IdentityDeps, SignInLimitDeps {
  readonly emailChanges: EmailChanges;
  readonly random: Random;
}

type Routes = Pick<
  Handlers,
  'showEmailChange' | 'requestEmailChange' | 'withdrawEmailChange' | 'showEmailLink' | 'answerEmailLink'
>;

const NO_LINK = 'Link not valid';

/** The change of the address of an account (decision 101, change of address). The pages work without scripts. */
export function emailChangeRoutes(deps: EmailChangeRoutesDeps, { tokens, onMail }: SignInParts): Routes {
  const { accounts, clock, emailChanges, settings } = deps;
  const { hubUrl } = settings;
  const ports = { ...deps, tokens, hubUrl };
  const shown = async (userId: string) => {
    const user = await accounts.userById(userId);
    const change = await emailChanges.pendingOf(userId, clock.nowMs());
    return { email: user?.email ?? '', change: change === undefined ? null : describe(change) };
  };
  /** A session proves that the account is the person's own; the mailbox alone would give its address to the account of another person. */
  const needsSignIn = async (request: Request, { change, side }: OpenedEmailLink) => {
    if (side === 'old') return false;
    const user = await signedIn(deps, request, ['session']);
    return user?.userId !== change.userId;
  };
  return {
    showEmailChange: ({ user }) => shown(user.userId),
    async requestEmailChange({ request, user, body: { email } }) {
      limitSignIns(deps, `email-change:${user.userId}`);
      limitSignIns(deps, `email:${email.toLowerCase()}`);
      const by = sourceOf(deps, request, user.home.member);
      for (const mail of await requestEmailChange(ports, user.userId, email, by)) onMail(mail);
      return reply(202, await shown(user.userId));
    },
    async withdrawEmailChange({ request, user }) {
      const load = async () => {
        const change = await emailChanges.pendingOf(user.userId, clock.nowMs());
        if (change === undefined) throw refuse('not_found', 'no change of your address is pending');
        return change;
      };
      await stopEmailChange(ports, load, () => sourceOf(deps, request, user.home.member));
    },
    showEmailLink: ({ request, parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        const link = await findEmailLink(ports, token);
        if (await needsSignIn(request, link)) return signInForEmailPage(hubUrl, token, link);
        return emailLinkPage(hubUrl, token, link);
      }),
    answerEmailLink: ({ request, parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        const link = await findEmailLink(ports, token);
        if (await needsSignIn(request, link)) return signInForEmailPage(hubUrl, token, link);
        const from = originOf(deps, request);
        const decision = (await readPageForm(request)).get('decision');
        if (decision === 'stop' && link.side === 'old') {
          const load = async () => (await findEmailLink(ports, token)).change;
          await stopEmailChange(ports, load, (change) => ownerOf(change, from));
          return emailStoppedPage();
        }
        if (decision !== 'confirm') throw refuse('invalid_argument', 'decision: confirm expected');
        const confirmed = await confirmEmail(ports, token, from);
        for (const mail of confirmed.mails) onMail(mail);
        return emailConfirmedPage(confirmed);
      }),
  };
}

function describe({ toEmail, createdAtMs, expiresAtMs, oldConfirmedAtMs, newConfirmedAtMs }: EmailChange) {
  return {
    new_email: toEmail,
    asked_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
    old_confirmed: oldConfirmedAtMs !== undefined,
    new_confirmed: newConfirmedAtMs !== undefined,
  };
}
