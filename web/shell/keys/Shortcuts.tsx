import { Kbd } from '../../design/Kbd.tsx';
import { useIsOpen } from '../../design/open-state.ts';
import { Dialog } from '../../design/overlay/Dialog.tsx';
import { NAV_ITEMS } from '../nav-items.ts';
import { useVisibleNavItems } from '../use-visible-nav-items.ts';
import { shortcuts } from './shortcuts-state.ts';

const GENERAL = [
  ['Ctrl K or ⌘K', 'Search or run'],
  ['/', 'Search this page'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['a', 'Approve'],
  ['d', 'Deny'],
  ['?', 'Show keyboard shortcuts'],
] as const;

export function Shortcuts() {
  const isOpen = useIsOpen(shortcuts);
  const items = useVisibleNavItems(NAV_ITEMS).map(
    ({ key, label }) => [`g ${key}`, `Go to ${label}`] as const,
  );
  return (
    <Dialog isOpen={isOpen} onClose={() => shortcuts.set(false)} title="Keyboard shortcuts">
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {[...GENERAL, ...items].map(([keys, what]) => (
          <div key={keys} className="flex justify-between gap-4">
            <dt>{what}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
