import { Link } from '@tanstack/react-router';
import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { PAGE_WIDTH } from '../design/classes.ts';
import { ChevronDown, Search } from '../design/icons.tsx';
import { Kbd } from '../design/Kbd.tsx';
import { MenuButton } from '../design/overlay/MenuButton.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { openPalette } from './palette/palette-state.ts';
import { countWords, useWaiting } from './waiting.ts';

const WorkspaceItems = lazyPart(async () => (await import('./WorkspaceItems.tsx')).WorkspaceItems);
const MeItems = lazyPart(async () => (await import('./MeItems.tsx')).MeItems);

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function TopBar() {
  return (
    // The row is in an element of its own: an open menu adds a child to the header, which would take a gap of the row.
    <header className="top-0 z-20 h-12 bg-paper tall:sticky">
      <div className={`flex h-full items-center gap-2 sm:gap-4 ${PAGE_WIDTH}`}>
        <WorkspaceMenu />
        <button
          type="button"
          onClick={openPalette}
          className="flex h-8 min-w-0 grow cursor-pointer items-center justify-between gap-2 rounded border border-edge bg-raised px-2 text-soft hover:border-ink sm:max-w-md"
        >
          <span className="flex min-w-0 items-center gap-2">
            <Search aria-hidden="true" className="size-4 shrink-0" />
            <span className="truncate">Search or run…</span>
          </span>
          <span className="hidden sm:inline">
            <Kbd keys={IS_MAC ? '⌘K' : 'Ctrl K'} />
          </span>
        </button>
        <div className="ml-auto flex items-center gap-3">
          <Waiting />
          <MeMenu />
        </div>
      </div>
    </header>
  );
}

/** The selected workspace; a menu for members of several (decision 4, the workspace of a request). */
function WorkspaceMenu() {
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
      <ChevronDown className="size-4 shrink-0 text-soft" />
    </MenuButton>
  );
}

/** The account menu: theme, shortcuts, sign out. */
function MeMenu() {
  const { email } = useAccount();
  return (
    <MenuButton
      label={`Account ${email}`}
      className="flex size-8 cursor-pointer items-center justify-center rounded border border-edge bg-raised font-semibold uppercase hover:border-ink"
      menu={(open) => <MeItems {...open} />}
    >
      {email.charAt(0)}
    </MenuButton>
  );
}

const WAITING = 'items-center gap-1.5 whitespace-nowrap text-waiting hover:underline';

/** The approvals that the person can decide, each with its workspace if it is another one. */
function Waiting() {
  const { mine = 0, elsewhere = [] } = useWaiting() ?? {};
  return (
    <>
      {mine > 0 && (
        <Link to="/approvals" className={`hidden sm:flex ${WAITING}`}>
          <Mark shape="diamond" />
          {countWords(mine)} waiting
        </Link>
      )}
      {elsewhere.map(({ username, mine: theirs }) => (
        <button
          key={username}
          type="button"
          onClick={() => chooseWorkspace(username, '/approvals')}
          className={`flex cursor-pointer ${WAITING}`}
        >
          <Mark shape="diamond" />
          {countWords(theirs)} in {username}
        </button>
      ))}
    </>
  );
}
