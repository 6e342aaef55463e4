import type { AuditOrigin } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { tokenKind } from '@svc/core/token/token';
import { hashToken, makeToken } from '../accounts/make-tokens.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Clock, Random } from '../platform/world.ts';

export interface EnrolDeps {
  readonly accounts: Pick<Accounts, 'workspaceById'>;
  readonly clock: Clock;
  readonly credentials: Pick<Credentials, 'agentTokenByHash' | 'enrolAgent'>;
  readonly random: Random;
}

/**
 * Exchanges an enrolment token for its agent token, once (decision 80, enrolment). Returns the agent token in plain.
 *
 * Throws `unauthorized` for every token that cannot be exchanged: unknown, used, expired, revoked, or of a deleted workspace.
 */
export async function enrolAgent(
  deps: EnrolDeps,
  enrolmentToken: string,
  from: AuditOrigin,
): Promise<string> {
  const refusal = refuse('unauthorized', 'this enrolment token is unknown, was used or has expired');
  if (tokenKind(enrolmentToken) !== 'enrolment_token') throw refusal;
  const found = await deps.credentials.agentTokenByHash(hashToken(enrolmentToken));
  if (
    found?.enrolUntilMs === undefined ||
    (await deps.accounts.workspaceById(found.workspaceId)) === undefined
  )
    throw refusal;
  const { token, hash, last4, createdAtMs: atMs } = makeToken(deps, 'agent_token');
  const { id, workspaceId, name } = found;
  const isExchanged = await deps.credentials.enrolAgent(
    found,
    { hash, last4 },
    {
      workspaceId,
      atMs,
      action: 'agent_token.enrolled',
      actor: { kind: 'agent', id: undefined, name },
      from,
      target: { kind: 'agent_token', id, name },
      details: { last4 },
    },
  );
  if (!isExchanged) throw refusal;
  return token;
}
