import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Teams } from '../teams/store/team-store.ts';
import { isMember } from './provision-user.ts';
import { makeScimToken, mayProvision, removeScimToken } from './scim-token.ts';
import type { ScimDirectory, ScimToken } from './store/scim-store.ts';

interface ScimSettingsDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly scim: ScimDirectory;
  readonly settings: Pick<Settings, 'hubUrl' | 'scimWorkspaces'>;
  readonly teams: Pick<Teams, 'load'>;
}

const MAX_SHOWN_GROUPS = 200;

/** The token of the provider of a workspace, and what it has sent, for the owner (decision 91, provisioning by SCIM). */
export function scimSettingsRoutes(
  deps: ScimSettingsDeps,
): Pick<Handlers, 'showProvisioning' | 'makeScimToken' | 'removeScimToken'> {
  const { scim, teams, settings } = deps;
  return {
    async showProvisioning({ acting: { workspace } }: { acting: Acting }) {
      const token = await scim.tokenOf(workspace.id);
      const team = await teams.load(workspace.id);
      const users = await scim.usersOf(workspace.id);
      const groups = await scim.groupsPage(workspace.id, [], { from: 0, count: MAX_SHOWN_GROUPS });
      return {
        is_allowed: mayProvision(deps, workspace),
        url: `${settings.hubUrl}/scim/v2`,
        token: token === undefined ? null : { ...describeToken(token), last_used_at: time(token.usedAtMs) },
        users: users.length,
        members: users.filter(({ accountId }) => team !== undefined && isMember(team, accountId)).length,
        groups: groups.items.map(({ displayName }) => displayName),
      };
    },
    async makeScimToken({ request, acting: { workspace, member }, body: { default_role: defaultRole } }) {
      const by = sourceOf(deps, request, member);
      const { row, token } = await makeScimToken(deps, { workspace, member, defaultRole }, by);
      return { token, ...describeToken(row) };
    },
    async removeScimToken({ request, acting: { workspace, member } }) {
      await removeScimToken(deps, workspace.id, sourceOf(deps, request, member));
    },
  };
}

function describeToken({ last4, defaultRole, createdAtMs }: ScimToken) {
  const role = defaultRole === 'viewer' ? ('viewer' as const) : ('member' as const);
  return { last4, default_role: role, created_at: time(createdAtMs) };
}
