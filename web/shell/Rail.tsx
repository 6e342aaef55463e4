import { Link } from '@tanstack/react-router';
import { classes } from '../design/classes.ts';
import { Kbd } from '../design/Kbd.tsx';
import { type NavItem, RESOURCE_ITEMS, WORK_ITEMS, WORKSPACE_ITEMS } from './nav-items.ts';
import { useVisibleNavItems } from './use-visible-nav-items.ts';
import { WaitingCount } from './WaitingCount.tsx';

/** The navigation, with the shortcut of each page. */
export function Rail() {
  return (
    <nav
      aria-label="Pages"
      className="sticky top-0 hidden h-dvh w-44 shrink-0 flex-col gap-3 overflow-y-auto border-r border-line bg-sunken px-2 py-3 sm:flex"
    >
      <Link to="/" className="px-2 font-mono text-lg font-semibold" aria-label="svc, go to Now">
        svc
      </Link>
      {[WORK_ITEMS, RESOURCE_ITEMS, WORKSPACE_ITEMS].map((items) => (
        <Group key={items[0]?.to} items={items} />
      ))}
    </nav>
  );
}

function Group({ items }: { readonly items: readonly NavItem[] }) {
  const visible = useVisibleNavItems(items);
  if (visible.length === 0) return null;
  return (
    <ul className="border-t border-line pt-2">
      {visible.map((item) => (
        <li key={item.to}>
          <NavLink item={item} />
        </li>
      ))}
    </ul>
  );
}

function NavLink({ item: { to, label, key } }: { readonly item: NavItem }) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className={classes(
        'group flex min-h-7 items-center justify-between gap-2 rounded border-l-2 border-transparent px-2 hover:bg-line',
        'aria-[current=page]:border-accent aria-[current=page]:bg-raised aria-[current=page]:font-semibold',
      )}
    >
      <span className="flex items-center gap-2">
        {label}
        {to === '/approvals' && <WaitingCount />}
      </span>
      <span aria-hidden="true" className="opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
        <Kbd keys={`g ${key}`} />
      </span>
    </Link>
  );
}
