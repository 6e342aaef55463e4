import { Suspense, useLayoutEffect, useRef, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import { Finder } from './Finder.tsx';

const RunEndpoint = lazyPart(async () => (await import('./RunEndpoint.tsx')).RunEndpoint);

interface PaletteProps {
  readonly onClose: () => void;
}

/**
 * The command palette: search an endpoint, fill in its arguments, press Enter to run it and see its output.
 *
 * It is part of the first view, so that each key after Ctrl+K reaches its field.
 */
export function Palette({ onClose }: PaletteProps) {
  const [slug, setSlug] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // `close` returns the focus to where it was.
    return () => shown?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog closes on Escape.
    <dialog
      ref={dialog}
      aria-label={slug === undefined ? 'Search or run' : `Run ${slug}`}
      onCancel={onClose}
      // Only a click on the backdrop has the dialog itself as its target.
      onClick={({ target }) => target === dialog.current && onClose()}
      className="mx-auto mt-[8vh] mb-0 max-h-[80vh] w-[calc(100vw-24px)] max-w-2xl flex-col overflow-hidden rounded border border-line bg-raised text-ink shadow-float outline-none backdrop:bg-[oklch(0_0_0/0.4)] open:flex"
    >
      {slug === undefined ? (
        <Finder onRun={setSlug} onClose={onClose} />
      ) : (
        <Suspense fallback={<p className="p-4 text-soft">Loading the form of {slug}…</p>}>
          <RunEndpoint slug={slug} onBack={() => setSlug(undefined)} onClose={onClose} />
        </Suspense>
      )}
    </dialog>
  );
}
