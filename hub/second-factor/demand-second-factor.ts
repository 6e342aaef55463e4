import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { Member, Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import { refuseOlderHubs } from '../cluster/refuse-older-hubs.ts';
import type { Clock } from '../platform/world.ts';
import type { SecondFactorRules } from './store/second-factor-rules.ts';

export interface DemandDeps {
  readonly clock: Clock;
  readonly hubs: Pick<Hubs, 'without'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly secondFactorRules: SecondFactorRules;
}

export interface Demand {
  readonly workspace: Pick<Workspace, 'id' | 'username'>;
  readonly member: Pick<Member, 'userId'>;
  readonly isRequired: boolean;
  readonly by: AuditSource;
}

/**
 * Changes whether the members of a workspace need a second factor (decision 100, second factor). When this returns,
 * every reachable hub applies the rule, and has ended the streams of members without a second factor. Their executions continue.
 *
 * Throws `forbidden` when the person who demands a second factor, or the owner, has none: they would be locked out. Throws `unavailable`
 * beside a hub that would let members in without one.
 */
export async function demandSecondFactor(
  { clock, hubs, openStreams, secondFactorRules }: DemandDeps,
  { workspace: { id: workspaceId, username }, member: { userId }, isRequired, by }: Demand,
): Promise<void> {
  if (isRequired) await refuseOlderHubs({ hubs }, 'demandedSecondFactor');
  const outcome = await secondFactorRules.change(
    { workspaceId, userId, isRequired },
    {
      ...by,
      workspaceId,
      atMs: clock.nowMs(),
      action: 'workspace.second_factor_changed',
      target: { kind: 'workspace', id: workspaceId, name: username ?? '' },
      details: { required: isRequired },
    },
  );
  if (outcome === 'no_factor')
    throw refuse('forbidden', 'switch your own second factor on first, in the settings of your account', {
      reason: 'no_second_factor',
    });
  if (outcome === 'owner_without')
    throw refuse('forbidden', 'the owner of this workspace has no second factor, and would be locked out', {
      reason: 'owner_without',
    });
  await openStreams.recheck();
}
