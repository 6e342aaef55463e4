import type { Plan } from '@svc/core/plan/plans';
import type { LinkTokens } from '../../engine/account/link-token.ts';
import { requestSignIn } from '../../engine/account/sign-in.ts';
import type { OutgoingMail } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { limitSignIns } from './sign-in-limit.ts';

export interface SignInParts {
  readonly tokens: LinkTokens;
  readonly defaultPlan: Plan;
  /** A mail waits in the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Mails a link to whoever may sign in; that nobody may is not told. */
export async function sendSignInLink(context: HubContext, parts: SignInParts, email: string): Promise<void> {
  limitSignIns(context, `email:${email.toLowerCase()}`);
  const { sent } = await requestSignIn({ ...context, ...context.settings, ...parts }, email);
  if (sent !== undefined) parts.onMail(sent);
}
