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
      className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col gap-6 overflow-y-auto bg-sunken px-3 py-3 sm:flex"
    >
      <Link
        to="/"
        className="flex items-center gap-3 px-2 font-mono text-lg font-semibold"
        aria-label="svc, go to Now"
      >
        <Logo />
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
    <ul className="flex flex-col gap-0.5">
      {visible.map((item) => (
        <li key={item.to}>
          <NavLink item={item} />
        </li>
      ))}
    </ul>
  );
}

function NavLink({ item: { to, label, icon: Icon, key } }: { readonly item: NavItem }) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className={classes(
        'group flex min-h-8 items-center justify-between gap-2 rounded px-2 text-soft hover:bg-line hover:text-ink',
        'aria-[current=page]:bg-raised aria-[current=page]:font-semibold aria-[current=page]:text-ink',
      )}
    >
      <span className="flex items-center gap-3">
        <Icon aria-hidden="true" className="size-4 shrink-0 group-aria-[current=page]:text-accent" />
        {label}
        {to === '/approvals' && <WaitingCount />}
      </span>
      <span aria-hidden="true" className="opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
        <Kbd keys={`g ${key}`} />
      </span>
    </Link>
  );
}

/** The mark of svc, as in the tab of the browser. */
function Logo() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className="size-5 shrink-0">
      <rect width="16" height="16" rx="3" className="fill-accent" />
      <path
        d="m4 4.5 3.5 3.5L4 11.5M8.5 11.5H12"
        fill="none"
        strokeWidth="1.75"
        className="stroke-on-accent"
      />
    </svg>
  );
}
