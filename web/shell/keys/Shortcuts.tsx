import { Kbd } from '../../design/Kbd.tsx';
import { useIsOpen } from '../../design/open-state.ts';
import { Dialog } from '../../design/overlay/Dialog.tsx';
import { PLACES } from '../places.ts';
import { useVisibleNavItems } from '../use-places.ts';
import { shortcuts } from './shortcuts-state.ts';

const GENERAL = [
  ['Ctrl K or ⌘K', 'Search or run anything'],
  ['/', 'Search this page'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['a', 'Approve what waits'],
  ['d', 'Deny what waits'],
  ['?', 'Show these keys'],
] as const;

export function Shortcuts() {
  const isOpen = useIsOpen(shortcuts);
  const places = useVisibleNavItems(PLACES).map(({ key, label }) => [`g ${key}`, `Go to ${label}`] as const);
  return (
    <Dialog isOpen={isOpen} onClose={() => shortcuts.set(false)} title="Keyboard shortcuts">
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {[...GENERAL, ...places].map(([keys, what]) => (
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
