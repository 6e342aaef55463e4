import { Link } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { PAGE_WIDTH } from '../design/classes.ts';
import { Kbd } from '../design/Kbd.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { MeMenu } from './MeMenu.tsx';
import { openPalette } from './palette/palette-state.ts';
import { WorkspaceMenu } from './WorkspaceMenu.tsx';
import { countWords, useWaiting } from './waiting.ts';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function TopBar() {
  return (
    // The row is in an element of its own: an open menu adds a child to the header, which would take a gap of the row.
    <header className="sticky top-0 z-20 h-12 bg-paper">
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
