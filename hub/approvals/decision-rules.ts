import type {
  ApproverRules,
  Decider,
  DecidingCredential,
  DecisionRules,
} from '@svc/core/approval/may-decide';
import type { AccessToken, Member } from '../accounts/account-ports.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Execution } from '../executions/execution-ports.ts';

export interface DecisionRulesDeps {
  readonly credentials: Pick<Credentials, 'isAgentKey' | 'hasAgentToken'>;
}

type Call = Pick<Execution, 'trigger' | 'callerKind' | 'callerId'>;

/** The rules for one call: those of its endpoint, and whether an AI agent made it. */
export async function decisionRules(
  deps: DecisionRulesDeps,
  call: Call,
  { approvers, allowSelf, approval }: ApproverRules,
): Promise<DecisionRules> {
  const isFromAgent = await isCallOfAgent(deps, call);
  return { ...(approvers === undefined ? {} : { approvers }), allowSelf, approval, isFromAgent };
}

/**
 * Whether an AI agent made the call: over MCP, or with a key that an agent may have. The call of a member does not name the token,
 * so it counts if an agent has any token of that member. Calls from the dashboard are made with a session, which no agent has
 * (decision 75, approval of calls of agents).
 */
async function isCallOfAgent(
  { credentials }: DecisionRulesDeps,
  { trigger, callerKind, callerId }: Call,
): Promise<boolean> {
  if (trigger === 'mcp') return true;
  if (callerId === undefined) return false;
  switch (callerKind) {
    case 'api_key':
      return await credentials.isAgentKey(callerId);
    case 'member':
      return trigger !== 'dashboard' && (await credentials.hasAgentToken(callerId));
    case 'anonymous':
      return false;
  }
}

/**
 * A member as the one who decides, with the kind of credential.
 *
 * @param mayApprove what the rights on the endpoint say; undefined: the role decides
 */
export function memberDeciding(
  { userId: id, email, role }: Pick<Member, 'userId' | 'email' | 'role'>,
  credential: DecidingCredential,
  mayApprove?: boolean,
): Extract<Decider, { kind: 'member' }> {
  return { kind: 'member', id, email, role, credential, mayApprove };
}

/**
 * The kind of the credential of a request. An agent that has one token of a user may have another, so each token of such a user counts
 * as that of an agent.
 */
export async function credentialOf(
  { credentials }: DecisionRulesDeps,
  { kind, userId }: Pick<AccessToken, 'kind' | 'userId'>,
): Promise<DecidingCredential> {
  if (kind === 'session') return 'session';
  return (await credentials.hasAgentToken(userId)) ? 'agent_token' : 'token';
}
