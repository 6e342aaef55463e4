import type { AuditSource } from '@svc/core/audit/entry';
import type { AgentToken, ApiKey } from '../ports/accounts.ts';
import type { Ports } from '../ports.ts';

type RevokePorts = Pick<Ports, 'credentials' | 'clock'>;

/** It works no more; false when it is gone. */
export function revokeApiKey(
  { credentials, clock }: RevokePorts,
  { workspaceId, id, name, last4 }: ApiKey,
  by: AuditSource,
): Promise<boolean> {
  return credentials.revokeApiKey(workspaceId, id, {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'api_key.revoked',
    target: { kind: 'api_key', id, name },
    details: { last4 },
  });
}

/** It works no more, and its connections end; false when it is gone. */
export async function revokeAgentToken(
  { credentials, clock, agents }: RevokePorts & Pick<Ports, 'agents'>,
  { workspaceId, id, name, last4 }: AgentToken,
  by: AuditSource,
): Promise<boolean> {
  const isRevoked = await credentials.revokeAgentToken(workspaceId, id, {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'agent_token.revoked',
    target: { kind: 'agent_token', id, name },
    details: { last4 },
  });
  if (isRevoked) agents.disconnectToken(id);
  return isRevoked;
}
