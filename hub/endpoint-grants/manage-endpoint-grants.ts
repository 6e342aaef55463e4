import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { EndpointAccess, EndpointGrant } from '@svc/core/workspace/endpoint-rights';
import { MAX_ENDPOINT_GRANTS } from '@svc/core/workspace/endpoint-rights';
import type { AccessToken, Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { ServiceAccounts } from '../service-accounts/store/service-account-store.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { EndpointGrants } from './store/endpoint-grant-store.ts';

export interface EndpointGrantDeps {
  readonly clock: Clock;
  readonly credentials: Pick<Credentials, 'hasAgentToken'>;
  readonly endpointGrants: EndpointGrants;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly random: Random;
  readonly serviceAccounts: Pick<ServiceAccounts, 'ofWorkspace'>;
  readonly teams: Pick<Teams, 'load'>;
}

/** The member who asks, with their credential. */
export interface Granting {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly credential: Pick<AccessToken, 'kind' | 'userId'>;
  readonly by: AuditSource;
}

export type WantedGrant = Pick<EndpointGrant, 'granteeKind' | 'grantee' | 'endpoints' | 'can'>;

/**
 * Makes a grant. It is in effect when this returns: every reachable hub has read it.
 *
 * Refuses with `invalid_argument` when there is no such grantee or there are too many grants, and with `forbidden` for an access
 * token of a user of whom an AI agent has any: the agent would give itself rights.
 */
export async function makeGrant(
  deps: EndpointGrantDeps,
  who: Granting,
  wanted: WantedGrant,
): Promise<EndpointGrant> {
  await refuseAgent(deps, who);
  const { id: workspaceId } = who.workspace;
  const name = await nameOf(deps, workspaceId, wanted);
  if (name === undefined) throw noSuchGrantee(wanted);
  const grant = {
    ...wanted,
    can: [...new Set(wanted.can)],
    id: deps.random.uuid(),
    workspaceId,
    createdBy: who.userId,
    createdAtMs: deps.clock.nowMs(),
  };
  const entry = entryOf(who, grant.createdAtMs, 'endpoint_grant.made', detailsOf(grant, name));
  const outcome = await deps.endpointGrants.add(grant, entry);
  if (outcome === 'no_member') throw noSuchGrantee(wanted);
  if (outcome === 'too_many')
    throw refuse('invalid_argument', `a workspace has at most ${MAX_ENDPOINT_GRANTS} grants`);
  await deps.openStreams.recheck();
  return grant;
}

/** Withdraws a grant; in effect at every reachable hub when this returns. Refuses with `not_found`. */
export async function deleteGrant(deps: EndpointGrantDeps, who: Granting, id: string): Promise<void> {
  const { id: workspaceId } = who.workspace;
  const grant = (await deps.endpointGrants.ofWorkspace(workspaceId)).find((one) => one.id === id);
  if (grant === undefined) throw noSuchGrant();
  const name = (await nameOf(deps, workspaceId, grant)) ?? grant.grantee;
  const entry = entryOf(who, deps.clock.nowMs(), 'endpoint_grant.deleted', detailsOf(grant, name));
  if (!(await deps.endpointGrants.remove(workspaceId, id, entry))) throw noSuchGrant();
  await deps.openStreams.recheck();
}

/** Changes which endpoints members and viewers have; in effect at every reachable hub when this returns. */
export async function changeEndpointAccess(
  deps: EndpointGrantDeps,
  who: Granting,
  to: EndpointAccess,
): Promise<void> {
  await refuseAgent(deps, who);
  const { id: workspaceId } = who.workspace;
  for (let isStored = false; !isStored; ) {
    const from = await deps.endpointGrants.access(workspaceId);
    if (from === to) break;
    const action = 'workspace.endpoint_access_changed';
    const entry = entryOf(who, deps.clock.nowMs(), action, { from, to });
    isStored = await deps.endpointGrants.changeAccess({ workspaceId, from, to }, entry);
  }
  await deps.openStreams.recheck();
}

/** The name of a grantee for people; undefined: the workspace has none with this id. */
async function nameOf(
  { teams, serviceAccounts }: EndpointGrantDeps,
  workspaceId: string,
  { granteeKind, grantee }: WantedGrant,
): Promise<string | undefined> {
  switch (granteeKind) {
    case 'group':
      return grantee;
    case 'member':
      return (await teams.load(workspaceId))?.members.find(({ userId }) => userId === grantee)?.email;
    case 'service_account':
      return (await serviceAccounts.ofWorkspace(workspaceId)).find(
        ({ id, disabledAtMs }) => id === grantee && disabledAtMs === undefined,
      )?.name;
  }
}

async function refuseAgent({ credentials }: EndpointGrantDeps, { credential }: Granting): Promise<void> {
  if (credential.kind !== 'session' && (await credentials.hasAgentToken(credential.userId)))
    throw refuse('forbidden', 'an AI agent uses an access token of yours: change this in a browser');
}

function detailsOf({ granteeKind, endpoints, can }: WantedGrant, name: string): AuditEntry['details'] {
  return { for: granteeKind, name, endpoints, can };
}

function entryOf(
  { workspace, by }: Granting,
  atMs: number,
  action: AuditAction,
  details: AuditEntry['details'],
): AuditEntry {
  const target = { kind: 'workspace', id: workspace.id, name: workspace.username ?? '' } as const;
  return { ...by, workspaceId: workspace.id, atMs, action, target, details };
}

function noSuchGrantee({ granteeKind }: WantedGrant) {
  return refuse('invalid_argument', `grantee: this workspace has no such ${granteeKind.replace('_', ' ')}`);
}

function noSuchGrant() {
  return refuse('not_found', 'there is no such grant');
}
