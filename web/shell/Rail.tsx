import { Link } from '@tanstack/react-router';
import { classes } from '../design/classes.ts';
import { Kbd } from '../design/Kbd.tsx';
import { HOUSE, MEANS, type Place, WORK } from './places.ts';
import { useVisibleNavItems } from './use-places.ts';
import { WaitingCount } from './WaitingCount.tsx';

/** Where one can go, with the key that goes there: words, no pictures. */
export function Rail() {
  return (
    <nav
      aria-label="Pages"
      className="sticky top-0 hidden h-dvh w-44 shrink-0 flex-col gap-3 overflow-y-auto border-r border-line bg-sunken px-2 py-3 sm:flex"
    >
      <Link to="/" className="px-2 font-mono text-lg font-semibold" aria-label="svc, to Now">
        svc
      </Link>
      {[WORK, MEANS, HOUSE].map((places) => (
        <Group key={places[0]?.to} places={places} />
      ))}
    </nav>
  );
}

function Group({ places }: { readonly places: readonly Place[] }) {
  const visible = useVisibleNavItems(places);
  if (visible.length === 0) return null;
  return (
    <ul className="border-t border-line pt-2">
      {visible.map((place) => (
        <li key={place.to}>
          <PlaceLink place={place} />
        </li>
      ))}
    </ul>
  );
}

function PlaceLink({ place: { to, label, key } }: { readonly place: Place }) {
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
