import type { Plan } from '@svc/core/plan/plans';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { LinkTokens } from './link-token.ts';
import { requestSignIn } from './sign-in.ts';
import { limitSignIns, type SignInLimitDeps } from './sign-in-limit.ts';
import type { Accounts } from './store/account-store.ts';
import type { SignInLinks } from './store/sign-in-links.ts';

export interface SendSignInLinkDeps extends SignInLimitDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly links: SignInLinks;
  readonly random: Random;
  readonly teams: Teams;
}

export interface SignInParts {
  readonly tokens: LinkTokens;
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Mails a sign-in link when the address may sign in. The response does not reveal whether it may. */
export async function sendSignInLink(
  deps: SendSignInLinkDeps,
  parts: SignInParts,
  email: string,
): Promise<void> {
  limitSignIns(deps, `email:${email.toLowerCase()}`);
  const { sent } = await requestSignIn({ ...deps, ...deps.settings, ...parts }, email);
  if (sent !== undefined) parts.onMail(sent);
}
