import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Ellipsis } from '../design/icons.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { NAV_ITEMS, type NavItem } from './nav-items.ts';
import { useVisibleNavItems } from './use-visible-nav-items.ts';
import { WaitingCount } from './WaitingCount.tsx';

/** On a phone approvals come first: alerts bring people there. */
const FIRST = ['/approvals', '/', '/endpoints', '/executions'];

export function BottomBar() {
  const [isOpen, setIsOpen] = useState(false);
  const items = useVisibleNavItems(NAV_ITEMS);
  const first = FIRST.flatMap((to) => items.find((item) => item.to === to) ?? []);
  const rest = items.filter((item) => !first.includes(item));
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-sunken pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {first.map((item) => (
        <BarLink key={item.to} item={item} />
      ))}
      {rest.length > 0 && (
        <button
          type="button"
          onClick={() => setIsOpen(true)}
          className="flex h-12 min-w-0 grow basis-0 flex-col items-center justify-center gap-0.5 border-t-2 border-transparent text-xs text-soft"
        >
          <Ellipsis aria-hidden="true" className="size-4 shrink-0" />
          More
        </button>
      )}
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title="Pages">
        <ul className="grid grid-cols-2 gap-1">
          {rest.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                onClick={() => setIsOpen(false)}
                className="flex min-h-11 items-center gap-3 rounded px-2 hover:bg-sunken"
              >
                <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </Dialog>
    </nav>
  );
}

function BarLink({ item: { to, label, icon: Icon } }: { readonly item: NavItem }) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className="flex h-12 min-w-0 grow basis-0 flex-col items-center justify-center gap-0.5 border-t-2 border-transparent text-xs text-soft aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-ink"
    >
      <span className="flex h-4 items-center gap-1">
        <Icon aria-hidden="true" className="size-4 shrink-0" />
        {to === '/approvals' && <WaitingCount />}
      </span>
      {label}
    </Link>
  );
}
