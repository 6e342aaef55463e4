import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { Finder } from './Finder.tsx';
import { RunEndpoint } from './RunEndpoint.tsx';

interface PaletteProps {
  readonly onClose: () => void;
}

/** The command palette: search an endpoint, fill in its arguments, press Enter to run it and see its output. */
export function Palette({ onClose }: PaletteProps) {
  const [slug, setSlug] = useState<string>();
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[oklch(0_0_0/0.4)]" />
        <Dialog.Popup className="fixed top-[8vh] left-1/2 z-40 flex max-h-[80vh] w-[calc(100vw-24px)] max-w-2xl -translate-x-1/2 flex-col overflow-hidden rounded border border-line bg-raised shadow-float">
          <Dialog.Title className="sr-only">
            {slug === undefined ? 'Search or run' : `Run ${slug}`}
          </Dialog.Title>
          {slug === undefined ? (
            <Finder onRun={setSlug} onClose={onClose} />
          ) : (
            <RunEndpoint slug={slug} onBack={() => setSlug(undefined)} onClose={onClose} />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
