import type { AuditSource } from '@svc/core/audit/entry';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Clock } from '../platform/world.ts';
import { grantEntry } from './grant-access.ts';
import type { GrantNow } from './oauth-ports.ts';
import type { Grants } from './store/grant-store.ts';

/** Revokes the access of an AI client and ends its streams at every hub. */
export async function revokeGrant(
  {
    grants,
    clock,
    openStreams,
  }: {
    readonly grants: Grants;
    readonly clock: Clock;
    readonly openStreams: Pick<OpenStreams, 'recheck'>;
  },
  grant: GrantNow,
  by: AuditSource,
): Promise<void> {
  if (grant.isRevoked) return;
  await grants.revoke(grant, grantEntry(grant, 'ai_client.revoked', clock.nowMs(), by));
  await openStreams.recheck();
}
