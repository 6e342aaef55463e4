import { isPending } from '@svc/core/approval/approval';
import type { Decision } from '@svc/core/approval/decide-approval';
import { type Decider, mayDecide } from '@svc/core/approval/may-decide';
import { Refusal, refuse } from '@svc/core/refusal';
import { circumstancesOf } from '../../engine/approval/circumstances.ts';
import { decide } from '../../engine/approval/decide-approval.ts';
import { findHeldCall, type HeldCallRecord } from '../../engine/approval/held-call.ts';
import { staleMessage } from '../../engine/approval/settle-approval.ts';
import type { HubContext } from '../context.ts';
import { limitedNetwork } from '../limited-network.ts';
import {
  type ApprovePage,
  approvePage,
  closedPage,
  NO_APPROVAL,
  signInLinkSentPage,
} from '../pages/approve-pages.ts';
import { onPage } from '../pages/on-page.ts';
import { readForm } from '../pages/read-form.ts';
import { originOf, sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { refuseForeignForm, signedIn } from '../routes/identity.ts';
import { type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { limitSignIns, limitSignInsFrom } from './sign-in-limit.ts';
import { returnCookie } from './sign-in-return.ts';

type Routes = Pick<Handlers, 'showApprovalPage' | 'decideOnPage' | 'signInToApprove'>;

/** The link of a held call: it shows, and the form of its page decides (decisions 34 to 36). */
export function approvePageRoutes(context: HubContext, signIn: SignInParts): Routes {
  const { hubUrl } = context.settings;
  return {
    showApprovalPage: ({ request, parameters: { token } }) =>
      onPage(NO_APPROVAL, async () => {
        const held = await heldOfToken(context, token);
        return await pageOf(context, request, token, held);
      }),
    decideOnPage: ({ request, parameters: { token } }) =>
      onPage('Not decided', async () => {
        refuseForeignForm(request, hubUrl);
        const held = await heldOfToken(context, token);
        // By address, too: whoever has the link may not keep others from deciding by using up their tries.
        limitSignIns(context, `approval:${held.approval.id} ${limitedNetwork(context.addressOf(request))}`);
        const form = await readForm(request);
        return await decideByForm(context, request, { token, held, form });
      }),
    signInToApprove: ({ request, parameters: { token } }) =>
      onPage(NO_APPROVAL, async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(context, request);
        await heldOfToken(context, token);
        const form = await readForm(request);
        await sendSignInLink(context, signIn, form.get('email') ?? '');
        const response = signInLinkSentPage();
        const cookie = returnCookie(hubUrl, 'approve', token);
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}

interface Sent {
  readonly token: string;
  readonly held: HeldCallRecord;
  readonly form: URLSearchParams;
}

async function decideByForm(
  context: HubContext,
  request: Request,
  { token, held, form }: Sent,
): Promise<Response> {
  const { id, generation } = held.approval;
  if (context.linkTokens.read('approve_form', form.get('nonce') ?? '', generation) !== id)
    throw refuse('forbidden', 'open the link, and decide with the form of its page');
  const { by, source } = await deciderOf(context, request, held);
  const comment = form.get('comment')?.trim().replaceAll(/\s+/g, ' ').slice(0, 500);
  const wanted = { approvalId: id, decision: decisionIn(form), by, source };
  try {
    await decide(context, { ...wanted, comment: comment === '' ? undefined : comment });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'forbidden') return await pageOf(context, request, token, held, 401);
    if (error.code !== 'approval_closed' && error.code !== 'approval_expired') throw error;
    return closedPage(await findHeldCall(context, id), context.clock.nowMs(), 410);
  }
  return closedPage(await findHeldCall(context, id), context.clock.nowMs(), 200);
}

function decisionIn(form: URLSearchParams): Decision {
  const decision = form.get('decision');
  if (decision === 'approve' || decision === 'deny') return decision;
  throw refuse('invalid_argument', 'the form says neither approve nor deny');
}

/** One that is decided on says by whom and when; one that waits, what will run. */
async function pageOf(
  context: HubContext,
  request: Request,
  token: string,
  held: HeldCallRecord,
  status?: number,
): Promise<Response> {
  const { clock, linkTokens, settings } = context;
  const { approval, execution } = held;
  const nowMs = clock.nowMs();
  if (!isPending(approval, nowMs)) return closedPage(held, nowMs, 410);
  const { circumstances } = await circumstancesOf(context, execution, nowMs);
  const { stale, rules = { allowSelf: true } } = circumstances;
  const { by } = await deciderOf(context, request, held);
  const about: ApprovePage = {
    held,
    token,
    nonce: linkTokens.form('approve_form', approval.id, approval.generation),
    hubUrl: settings.hubUrl,
    nowMs,
    by,
    mayDecide: mayDecide(rules, approval.requesterId, by),
    stale: stale && staleMessage(stale),
  };
  return approvePage(about, status);
}

/** A member of the workspace who has signed in decides as themselves; whoever else has the link, as that. */
async function deciderOf(context: HubContext, request: Request, { approval }: HeldCallRecord) {
  const user = await signedIn(context, request, ['session']);
  const member = user && (await context.accounts.member(approval.workspaceId, user.userId));
  if (member === undefined) {
    const from = originOf(context, request);
    const name = `somebody with the link, at ${from.address ?? 'an unknown address'}`;
    const by: Decider = { kind: 'link' };
    return { by, source: { actor: { kind: 'link', id: undefined, name }, from } } as const;
  }
  const by: Decider = { kind: 'member', id: member.userId, email: member.email, role: member.role };
  return { by, source: sourceOf(context, request, member) };
}

/** Unknown, made up, or of something else: all the same (decision 34). */
async function heldOfToken(context: HubContext, token: string): Promise<HeldCallRecord> {
  const { linkTokens, approvals } = context;
  const noSuchLink = refuse('not_found', 'there is no such link');
  const id = linkTokens.idIn(token);
  const approval = id === undefined ? undefined : await approvals.find(id);
  if (approval === undefined) throw noSuchLink;
  if (linkTokens.read('approve', token, approval.generation) !== id) throw noSuchLink;
  return await findHeldCall(context, approval.id);
}
