import { isPending } from '@svc/core/approval/approval';
import {
  type Decider,
  type DecidingCredential,
  type MayDecide,
  mayDecide,
} from '@svc/core/approval/may-decide';
import { accessToControl, accessToExecution, type Caller } from '@svc/core/execution/access';
import { CHALLENGE_MS, noPasskeysHere, relyingPartyOf } from '@svc/core/passkey/relying-party';
import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { lacksSecondFactor } from '@svc/core/workspace/second-factor-rule';
import type { Member } from '../accounts/account-ports.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Acting, isForOneWorkspace } from '../http/identity.ts';
import { type Principal, seesSlug } from '../http/principal.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { assertionOf, confirmWithPasskey } from '../passkeys/confirm-with-passkey.ts';
import type { UsedPasskey } from '../passkeys/passkey-ports.ts';
import type { Passkeys } from '../passkeys/store/passkey-store.ts';
import { newChallenge, openChallenge } from '../passkeys/verify-passkey.ts';
import { readCookie, setCookie } from '../platform/http/cookie.ts';
import { reply } from '../platform/http/reply.ts';
import { endOfPage } from '../platform/page-of-items.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { ApprovalDeps, ApprovalFilter, Approvals } from './approval-ports.ts';
import { decide } from './decide.ts';
import { credentialOf, type DecisionRulesDeps, decisionRules, memberDeciding } from './decision-rules.ts';
import { describeApproval } from './describe-approval.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import {
  awaitDecision,
  findPendingCall,
  noSuchApproval,
  type PendingCallRecord,
  pendingCallOf,
} from './pending-call.ts';

interface ApprovalRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly approvals: Approvals;
  readonly changes: ChangeWaiters;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly hubId: string;
  readonly keepOpen: (request: Request) => void;
  readonly ledger: ExecutionLedger;
  readonly linkTokens: LinkTokens;
  readonly lookups: Pick<CallLookups, 'rights'>;
  readonly passkeys: Pick<Passkeys, 'ofUser'>;
  readonly failedAttempts: FailedAttempts;
  readonly queue: ExecutionQueue;
  readonly random: Random;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
  readonly vault: Vault;
}

type Routes = Pick<
  Handlers,
  'listApprovals' | 'countWaiting' | 'showApproval' | 'decideApproval' | 'beginApprovalPasskey'
>;

const PASSKEY_COOKIE = 'svc_approval_passkey';

/** Handlers of approvals, for waiting callers and for members who decide (decision 36, deciding on an approval). */
export function approvalRoutes(deps: ApprovalRoutesDeps): Routes {
  const { hubUrl } = deps.settings;
  const party = relyingPartyOf(hubUrl);
  /** The use of the passkey that came with a decision; only a session has begun one. */
  const confirmed = async (
    request: Request,
    { access, member: { userId } }: Acting,
    approvalId: string,
    given: PasskeyAnswer | undefined,
  ): Promise<UsedPasskey | undefined> => {
    if (given === undefined || party === undefined) return undefined;
    const purpose = { kind: 'approve', sessionId: access.id, approvalId } as const;
    const begun = openChallenge(deps, readCookie(request, hubUrl, PASSKEY_COOKIE) ?? '', purpose);
    // An approval is decided once, so its challenge confirms one decision (decision 89, approval with a passkey).
    return await confirmWithPasskey(deps, party, begun, userId, assertionOf(given, userId));
  };
  return {
    async countWaiting({ acting: { member, access, rights } }) {
      const credential = await credentialOf(deps, access);
      const [here, elsewhere] = await Promise.all([
        countWaiting(deps, { ...member, rights }, credential),
        isForOneWorkspace({ access }) ? [] : countElsewhere(deps, member, credential),
      ]);
      return { ...here, elsewhere };
    },
    async listApprovals({ acting, query: { limit, cursor, endpoint: slug, status } }) {
      const { workspace, member, access } = acting;
      const credential = await credentialOf(deps, access);
      const { items, ...end } = await deps.approvals.list({
        workspaceId: workspace.id,
        limit,
        ...(slug === undefined ? {} : { slug }),
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === undefined ? {} : { states: STATES[status] }),
      });
      const seen = items.filter((approval) => seesSlug(acting, approval.slug));
      const calls = await Promise.all(seen.map((approval) => pendingCallOf(deps, approval)));
      const there = calls.filter((one) => one !== undefined);
      return {
        items: await Promise.all(
          there.map((one) =>
            describeFor(
              deps,
              one,
              memberDeciding(member, credential, acting.rights?.may('approve', one.approval.slug)),
            ),
          ),
        ),
        ...endOfPage(end),
      };
    },
    async showApproval({ request, caller, parameters: { id }, query: { wait, token } }) {
      const call = await visible(deps, caller, id, token);
      if (wait > 0) deps.keepOpen(request);
      const untilMs = deps.clock.nowMs() + wait * 1000;
      const now = await awaitDecision(deps, call, untilMs, request.signal);
      const described = describeApproval(deps, now, token);
      return getsLink(caller, now) ? described : withoutLink(described);
    },
    async decideApproval({ request, acting, parameters: { id }, body }) {
      const { member, workspace, access, rights } = acting;
      const approval = await deps.approvals.find(id);
      if (approval?.workspaceId !== workspace.id || !seesSlug(acting, approval.slug)) throw noSuchApproval();
      await decide(deps, {
        approvalId: id,
        decision: body.decision,
        comment: body.comment,
        signed: body.signed,
        passkey: await confirmed(request, acting, id, body.passkey),
        approver: memberDeciding(
          member,
          await credentialOf(deps, access),
          rights?.may('approve', approval.slug),
        ),
        source: sourceOf(deps, request, member),
      });
      return describeApproval(deps, await findPendingCall(deps, id));
    },
    async beginApprovalPasskey({ acting, parameters: { id } }) {
      const { member, workspace, access } = acting;
      const approval = await deps.approvals.find(id);
      if (approval?.workspaceId !== workspace.id || !seesSlug(acting, approval.slug)) throw noSuchApproval();
      if (party === undefined) throw refuse('not_found', noPasskeysHere(hubUrl));
      const allow = await credentialsOf(deps, member.userId);
      const purpose = { kind: 'approve', sessionId: access.id, approvalId: id } as const;
      const { challenge, sealed } = newChallenge(deps, purpose);
      const cookie = setCookie(hubUrl, PASSKEY_COOKIE, sealed, CHALLENGE_MS / 1000);
      return reply(200, { challenge, rp_id: party.id, allow }, { 'Set-Cookie': cookie });
    },
  };
}

type PasskeyAnswer = NonNullable<Parameters<Handlers['decideApproval']>[0]['body']['passkey']>;

/** The ids of the credentials with which a person can confirm an approval. Refuses a person without any with `forbidden`. */
async function credentialsOf(
  { passkeys }: Pick<ApprovalRoutesDeps, 'passkeys'>,
  userId: string,
): Promise<string[]> {
  const all = await passkeys.ofUser(userId);
  if (all.length === 0)
    throw refuse('forbidden', 'this approval needs a passkey, and you have none: add one in the settings', {
      reason: 'no_passkey',
    });
  return all.map(({ credentialId }) => credentialId);
}

/** Adds whether the member may decide, while the approval is pending. */
async function describeFor(
  deps: ApprovalRoutesDeps,
  call: PendingCallRecord,
  by: Extract<Decider, { kind: 'member' }>,
) {
  const whole = describeApproval(deps, call);
  const described = (by.mayApprove ?? may(by.role, 'endpoint.execute')) ? whole : withoutLink(whole);
  if (!isPending(call.approval, deps.clock.nowMs())) return described;
  const decision = await mayDecideOn(deps, call, by);
  // The member has signed in already.
  return { ...described, may_decide: decision === 'sign_in' ? ('not_approver' as const) : decision };
}

/**
 * The link may be enough to approve a call, so besides its caller only those get it who may approve (decision 87, rights per
 * endpoint).
 */
function getsLink(caller: Caller, { execution }: PendingCallRecord): boolean {
  if (caller.kind === 'anonymous') return true;
  if (accessToControl(caller, execution) !== 'allowed') return false;
  const isOwn = execution.callerKind === caller.kind && execution.callerId === caller.id;
  return isOwn || (caller.rights?.may('approve', execution.slug) ?? true);
}

/** The link may be enough to approve the call, so viewers do not get it. */
function withoutLink(described: ReturnType<typeof describeApproval>) {
  return { ...described, approve_url: undefined };
}

const STATES = {
  pending_approval: ['pending'],
  approved: ['approved'],
  denied: ['denied'],
  expired: ['expired'],
  decided: ['approved', 'denied', 'expired'],
} as const satisfies Record<string, NonNullable<ApprovalFilter['states']>>;

/** Unknown approvals and approvals of others take one code path (decision 25, errors). */
async function visible(
  deps: ApprovalRoutesDeps,
  caller: Caller,
  id: string,
  readToken: string | undefined,
): Promise<PendingCallRecord> {
  const approval = await deps.approvals.find(id);
  const call = approval && (await pendingCallOf(deps, approval));
  if (readToken !== undefined && call?.execution.readTokenHash === hashToken(readToken)) return call;
  const access = accessToExecution(caller, call?.execution);
  if (access === 'unauthorized')
    throw refuse('unauthorized', 'an API key, an access token or a read token is needed');
  if (access === 'not_found' || call === undefined) throw noSuchApproval();
  return call;
}

type MayDeps = {
  readonly endpoints: Endpoints;
  readonly ledger: ExecutionLedger;
  readonly clock: Clock;
} & ApprovalDeps &
  DecisionRulesDeps;

/** How many approvals of a workspace are pending, and how many of them a member may decide on. */
interface Waiting {
  readonly pending: number;
  readonly mine: number;
}

/** The count stops here: no person decides on more in a day. */
const MAX_COUNTED = 100;

/** Whether a member may decide on a pending call, by the present rules of its endpoint (decision 36, deciding on an approval). */
async function mayDecideOn(
  deps: { readonly endpoints: Endpoints } & DecisionRulesDeps,
  { approval, execution }: Pick<PendingCallRecord, 'approval' | 'execution'>,
  by: Decider,
): Promise<MayDecide> {
  const now = await deps.endpoints.byId(execution.endpointId);
  const rules = await decisionRules(deps, execution, now?.endpoint ?? { allowSelf: true });
  return mayDecide(rules, approval.requesterId, by);
}

/** The other workspaces of a member in which calls wait for their decision. Workspaces without a username cannot be selected. */
async function countElsewhere(
  ports: MayDeps & {
    readonly accounts: Accounts;
    readonly lookups: Pick<CallLookups, 'rights'>;
  },
  { userId, workspaceId }: Member,
  credential: DecidingCredential,
): Promise<readonly { readonly username: string; readonly mine: number }[]> {
  const { accounts } = ports;
  const all = (await accounts.workspacesOf(userId)).map(({ workspace }) => workspace);
  const counted = await Promise.all(
    all
      .filter(({ id }) => id !== workspaceId)
      .map(async ({ id, username, secondFactor }) => {
        const member = await accounts.member(id, userId);
        if (member === undefined || username === undefined) return [];
        if (lacksSecondFactor(secondFactor, member)) return [];
        const rights = (await ports.lookups.rights(id)).of({ kind: 'member', id: userId, role: member.role });
        return [{ username, mine: (await countWaiting(ports, { ...member, rights }, credential)).mine }];
      }),
  );
  return counted.flat().filter(({ mine }) => mine > 0);
}

async function countWaiting(
  ports: MayDeps,
  { rights, ...member }: Member & Pick<Principal, 'rights'>,
  credential: DecidingCredential,
): Promise<Waiting> {
  const { approvals, ledger, clock } = ports;
  const { workspaceId } = member;
  const { items } = await approvals.list({ workspaceId, states: ['pending'], limit: MAX_COUNTED });
  const pending = items.filter(
    (approval) => isPending(approval, clock.nowMs()) && seesSlug({ rights }, approval.slug),
  );
  const answers = await Promise.all(
    pending.map(async (approval) => {
      const execution = await ledger.find(approval.executionId);
      const by = memberDeciding(member, credential, rights?.may('approve', approval.slug));
      return execution && (await mayDecideOn(ports, { approval, execution }, by));
    }),
  );
  return { pending: pending.length, mine: answers.filter((answer) => answer === 'yes').length };
}
