import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import type { OpenMenu } from '../design/overlay/MenuButton.tsx';
import { MenuHeading, MenuItem, MenuPopup } from '../design/overlay/MenuPopup.tsx';

/** The workspaces of the person. */
export function WorkspaceItems(open: OpenMenu) {
  const { role, username, workspaces } = useAccount();
  return (
    <MenuPopup {...open} align="start">
      <MenuHeading>Switch workspace · you are {role} here</MenuHeading>
      {workspaces.map((one) => (
        <MenuItem key={one.username ?? ''} onClick={() => chooseWorkspace(one.username ?? undefined)}>
          <span className="grow">{one.username ?? 'Personal'}</span>
          <span className="text-sm text-soft">{one.username === username ? 'current' : one.role}</span>
        </MenuItem>
      ))}
    </MenuPopup>
  );
}
