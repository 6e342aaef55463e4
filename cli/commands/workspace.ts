import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { action, listed, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Workspace = Awaited<ReturnType<ApiClient['listWorkspaces']>>['items'][number];
type SignIn = Awaited<ReturnType<ApiClient['showSignInProvider']>>;

/** `svc workspace`: the workspaces of the person. */
export function workspaceCommand(): Command {
  return resourceCommand({
    name: 'workspace',
    examples: [
      'svc workspace                   list your workspaces',
      'svc workspace create lovelace   create another one, which you own',
      'svc workspace sign-in           show its sign-in provider, and the addresses to register there',
    ],
    notes: [
      'An access token belongs to one workspace: to use a new one, run svc login again and choose it. Change usernames in the dashboard.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list your workspaces',
        isDefault: true,
        run: (api) =>
          listed(
            (cursor) => api.listWorkspaces({ query: { limit: 100, cursor } }),
            workspaceRow,
            'no workspaces',
          ),
      }),
      action<{ username: string }>({
        name: 'create',
        summary: 'create another workspace, which you own',
        arguments: [['<username>', 'the username, which is part of the URLs of the workspace']],
        run: async (api, { username }) => {
          const made = await api.createWorkspace({ body: { username } });
          return shown(made, [workspaceRow(made)]);
        },
      }),
      action({
        name: 'sign-in',
        summary:
          'show the sign-in provider of the workspace, and the addresses to register there; for its owner',
        run: async (api) => {
          const found = await api.showSignInProvider();
          return shown(found, signInRows(found));
        },
      }),
    ],
  });
}

function workspaceRow({ id, username, role, plan }: Workspace): FactRow {
  return { label: username ?? '(no username)', text: `${role}  ${plan}  ${id}` };
}

function signInRows({
  provider,
  redirect_uri: redirectUri,
  logout_uri: logoutUri,
  sign_in_url: signInUrl,
}: SignIn): FactRow[] {
  const addresses: [string, string | null][] = [
    ['sign in at', signInUrl],
    ['redirect address', redirectUri],
    ['logout address', logoutUri],
  ];
  return [
    { label: 'provider', text: provider === null ? 'none' : `${provider.name}  ${provider.issuer}` },
    ...(provider === null
      ? []
      : [
          { label: 'client id', text: provider.client_id },
          { label: 'groups', text: provider.groups_claim ?? 'none' },
          { label: 'members', text: provider.required ? 'must sign in there' : 'may sign in there' },
        ]),
    ...addresses.map(([label, text]) => ({ label, text: text ?? 'choose a username first' })),
  ];
}
