import { useAccount } from '../account/account.ts';
import { chooseWorkspace, chosenWorkspace } from '../account/chosen-workspace.ts';
import type { OpenMenu } from '../design/overlay/MenuButton.tsx';
import { MenuHeading, MenuItem, MenuPopup } from '../design/overlay/MenuPopup.tsx';

/** The workspaces that somebody may go to. */
export function WorkspaceItems(open: OpenMenu) {
  const { role, workspaces } = useAccount();
  return (
    <MenuPopup {...open}>
      <MenuHeading>You are {role} here. Go to</MenuHeading>
      {workspaces.map((one) => (
        <MenuItem
          key={one.username ?? ''}
          onClick={() => chooseWorkspace(one.role === 'owner' ? undefined : (one.username ?? undefined))}
        >
          <span className="grow">{one.username ?? 'your own, without a username'}</span>
          <span className="text-sm text-soft">{isLookedAt(one.username, one.role) ? 'here' : one.role}</span>
        </MenuItem>
      ))}
    </MenuPopup>
  );
}

function isLookedAt(username: string | null, role: string): boolean {
  const chosen = chosenWorkspace();
  return chosen === undefined ? role === 'owner' : chosen === username;
}
