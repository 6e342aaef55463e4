import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteBodyOf } from '@svc/core/api/routes';
import type { Command } from 'commander';
import { action, done, secretOnce, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Provisioning = Awaited<ReturnType<ApiClient['showProvisioning']>>;
type Role = NonNullable<RouteBodyOf<'makeScimToken'>['default_role']>;

/** `svc scim`: how an identity provider sends users and groups. */
export function scimCommand(): Command {
  return resourceCommand({
    name: 'scim',
    examples: [
      'svc scim                              show the address for the provider, and what it has sent',
      'svc scim token                        create the token of the provider, which is printed once',
      'svc scim token --default-role viewer',
      'svc scim remove                       remove the token: the provider can no longer connect; its users stay members',
    ],
    notes: [
      'Only the owner sets this up, in a workspace that the operator of the hub names in SVC_SCIM_WORKSPACES.',
    ],
    actions: [
      action({
        name: 'show',
        summary: 'show how a provider sends users and groups',
        isDefault: true,
        run: async (api) => {
          const found = await api.showProvisioning();
          return shown(found, rowsOf(found));
        },
      }),
      action<{ defaultRole?: Role }>({
        name: 'token',
        aliases: ['create'],
        summary: 'create the token of the provider; the old one no longer works',
        // The service checks the role.
        options: [
          [
            '--default-role <role>',
            'role of people who are in no group with a role: member (default) or viewer',
          ],
        ],
        run: async (api, { defaultRole = 'member' }) => {
          const made = await api.makeScimToken({ body: { default_role: defaultRole } });
          return secretOnce(made, made.token);
        },
      }),
      action({
        name: 'remove',
        aliases: ['delete'],
        summary: 'remove the token of the provider',
        run: async (api) => {
          await api.removeScimToken();
          return done('token', 'removed; users stay members');
        },
      }),
    ],
  });
}

function rowsOf({ is_allowed: isAllowed, url, token, users, members, groups }: Provisioning): FactRow[] {
  const ofToken =
    token === null
      ? 'none'
      : `…${token.last4}  default role ${token.default_role}  last used ${token.last_used_at ?? 'never'}`;
  return [
    {
      label: 'address',
      text: isAllowed ? url : `${url}  (the operator does not allow it for this workspace)`,
    },
    { label: 'token', text: ofToken },
    { label: 'users', text: `${users}, ${members} of them in the team` },
    { label: 'groups', text: groups.length === 0 ? 'none' : groups.join(', ') },
  ];
}
