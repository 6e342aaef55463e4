import { useAccount } from '../account/account.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { MenuButton } from '../design/overlay/MenuButton.tsx';

const WorkspaceItems = lazyPart(async () => (await import('./WorkspaceItems.tsx')).WorkspaceItems);

/** The selected workspace; a menu for members of several (decision 4, the workspace of a request). */
export function WorkspaceMenu() {
  const { username, workspaces } = useAccount();
  const name = username ?? 'Personal';
  if (workspaces.length <= 1) return <span className="truncate font-semibold">{name}</span>;
  return (
    <MenuButton
      label={`Switch workspace, current: ${name}`}
      className="flex min-w-0 cursor-pointer items-center gap-1 font-semibold"
      menu={(open) => <WorkspaceItems {...open} />}
    >
      <span className="truncate">{name}</span>
      <span aria-hidden="true" className="text-soft">
        ▾
      </span>
    </MenuButton>
  );
}
