import { isPending } from '@svc/core/approval/approval';
import { type ApprovalDecision, staleMessage } from '@svc/core/approval/decide-approval';
import { type Decider, mayDecide } from '@svc/core/approval/may-decide';
import { Refusal, refuse } from '@svc/core/refusal';
import type { KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { limitSignIns, limitSignInsFrom, type SignInParts, sendSignInLink } from '../accounts/sign-in.ts';
import { returnCookie } from '../accounts/sign-in-return.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { SignInLinks } from '../accounts/store/sign-in-links.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { openWorkspaces, signedInAnywhere } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Grants } from '../oauth/store/grant-store.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import { onPage, readPageForm } from '../platform/pages/page.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Teams } from '../teams/store/team-store.ts';
import {
  type ApprovePage,
  approvePage,
  closedPage,
  NO_APPROVAL,
  signInLinkSentPage,
} from './approval-page.ts';
import type { Approvals } from './approval-ports.ts';
import { decide } from './decide.ts';
import { memberDeciding } from './decision-rules.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { findPendingCall, type PendingCallRecord } from './pending-call.ts';
import { loadPreconditions } from './preconditions.ts';

export interface ApprovalPageRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly grants: Grants;
  readonly endpoints: Endpoints;
  readonly hubId: string;
  readonly keyUse: KeyUse;
  readonly ledger: ExecutionLedger;
  readonly limiter: RateLimiter;
  readonly linkTokens: LinkTokens;
  readonly links: SignInLinks;
  readonly lookups: CallLookups;
  readonly failedAttempts: FailedAttempts;
  readonly queue: ExecutionQueue;
  readonly random: Random;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
  readonly teams: Teams;
  readonly vault: Vault;
}

type Routes = Pick<Handlers, 'showApprovalPage' | 'decideOnPage' | 'signInToApprove'>;

/** The link of a pending call shows it, and the form of its page decides (decisions 34 to 36, approvals). */
export function approvePageRoutes(deps: ApprovalPageRoutesDeps, signIn: SignInParts): Routes {
  const { hubUrl } = deps.settings;
  return {
    showApprovalPage: ({ request, parameters: { token } }) =>
      onPage(NO_APPROVAL, async () => {
        const call = await callOfToken(deps, token);
        return await pageOf(deps, request, token, call);
      }),
    decideOnPage: ({ request, parameters: { token } }) =>
      onPage('Decision not saved', async () => {
        refuseForeignForm(request, hubUrl);
        const call = await callOfToken(deps, token);
        // Limited by address too: a holder of the link must not use up the attempts of others.
        limitSignIns(deps, `approval:${call.approval.id} ${limitedNetwork(deps.addressOf(request))}`);
        const form = await readPageForm(request);
        return await decideByForm(deps, request, { token, call, form });
      }),
    signInToApprove: ({ request, parameters: { token } }) =>
      onPage(NO_APPROVAL, async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        await callOfToken(deps, token);
        const form = await readPageForm(request);
        await sendSignInLink(deps, signIn, form.get('email') ?? '');
        const response = signInLinkSentPage();
        const cookie = returnCookie(hubUrl, 'approve', token);
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}

interface Sent {
  readonly token: string;
  readonly call: PendingCallRecord;
  readonly form: URLSearchParams;
}

async function decideByForm(
  deps: ApprovalPageRoutesDeps,
  request: Request,
  { token, call, form }: Sent,
): Promise<Response> {
  const { id, generation } = call.approval;
  if (deps.linkTokens.read('approve_form', form.get('nonce') ?? '', generation) !== id)
    throw refuse('forbidden', 'open the link, and decide with the form of its page');
  const { by: approver, source } = await deciderOf(deps, request, call);
  const comment = form.get('comment')?.trim().replaceAll(/\s+/g, ' ').slice(0, 500);
  const decided = { approvalId: id, decision: decisionIn(form), approver, source };
  try {
    await decide(deps, { ...decided, comment: comment === '' ? undefined : comment });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'forbidden') return await pageOf(deps, request, token, call, 401);
    if (error.code !== 'approval_closed' && error.code !== 'approval_expired') throw error;
    return closedPage(await findPendingCall(deps, id), deps.clock.nowMs(), 410);
  }
  return closedPage(await findPendingCall(deps, id), deps.clock.nowMs(), 200);
}

function decisionIn(form: URLSearchParams): ApprovalDecision {
  const decision = form.get('decision');
  if (decision === 'approve' || decision === 'deny') return decision;
  throw refuse('invalid_argument', 'the form says neither approve nor deny');
}

/** The page of a pending approval shows the command; the page of a closed one shows who decided, and when. */
async function pageOf(
  deps: ApprovalPageRoutesDeps,
  request: Request,
  token: string,
  call: PendingCallRecord,
  status?: number,
): Promise<Response> {
  const { clock, linkTokens, settings } = deps;
  const { approval, execution } = call;
  const nowMs = clock.nowMs();
  if (!isPending(approval, nowMs)) return closedPage(call, nowMs, 410);
  const { stale, rules = { allowSelf: true } } = await loadPreconditions(deps, execution, nowMs);
  const { by } = await deciderOf(deps, request, call);
  const about: ApprovePage = {
    call,
    token,
    nonce: linkTokens.form('approve_form', approval.id, approval.generation),
    hubUrl: settings.hubUrl,
    nowMs,
    by,
    rules,
    mayDecide: mayDecide(rules, approval.requesterId, by),
    stale: stale && staleMessage(stale),
  };
  return approvePage(about, status);
}

/** A signed-in member decides as that member; any other visitor decides as the holder of the link. */
async function deciderOf(deps: ApprovalPageRoutesDeps, request: Request, { approval }: PendingCallRecord) {
  const user = await signedInAnywhere(deps, request, ['session']);
  const open = user && (await openWorkspaces(deps, user));
  const isOpen = open?.some(({ workspace }) => workspace.id === approval.workspaceId);
  const member = isOpen ? await deps.accounts.member(approval.workspaceId, user?.userId ?? '') : undefined;
  if (member === undefined) {
    const from = originOf(deps, request);
    const name = `somebody with the link, at ${from.address ?? 'an unknown address'}`;
    const isEnough = (await deps.lookups.rights(approval.workspaceId)).mayLinkDecide(approval.slug);
    const by: Decider = { kind: 'link', isEnough };
    return { by, source: { actor: { kind: 'link', id: undefined, name }, from } } as const;
  }
  const { userId: id, role } = member;
  const rights = (await deps.lookups.rights(approval.workspaceId)).of({ kind: 'member', id, role });
  const by: Decider = memberDeciding(member, 'session', rights?.may('approve', approval.slug));
  return { by, source: sourceOf(deps, request, member) };
}

/** Unknown and invented tokens, and tokens of other things, get one answer (decision 34, links that act). */
async function callOfToken(deps: ApprovalPageRoutesDeps, token: string): Promise<PendingCallRecord> {
  const { linkTokens, approvals } = deps;
  const noSuchLink = refuse('not_found', 'there is no such link');
  const id = linkTokens.idIn(token);
  const approval = id === undefined ? undefined : await approvals.find(id);
  if (approval === undefined) throw noSuchLink;
  if (linkTokens.read('approve', token, approval.generation) !== id) throw noSuchLink;
  return await findPendingCall(deps, approval.id);
}
