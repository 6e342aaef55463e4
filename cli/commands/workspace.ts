import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { action, listed, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Workspace = Awaited<ReturnType<ApiClient['listWorkspaces']>>['items'][number];

/** `svc workspace`: the workspaces of the person. */
export function workspaceCommand(): Command {
  return resourceCommand({
    name: 'workspace',
    examples: [
      'svc workspace                   list your workspaces',
      'svc workspace create lovelace   create another one, which you own',
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
    ],
  });
}

function workspaceRow({ id, username, role, plan }: Workspace): FactRow {
  return { label: username ?? '(no username)', text: `${role}  ${plan}  ${id}` };
}
