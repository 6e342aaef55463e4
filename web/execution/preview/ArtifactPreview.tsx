import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { VisibleLines } from '../../design/text/VisibleLines.tsx';
import { loadImage, loadText, MAX_TEXT_BYTES, type PreviewKind } from './load-preview.ts';

interface PreviewProps {
  readonly kind: PreviewKind;
  /** The path of the file at the hub. */
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

/**
 * A file that a command left, as pixels or as characters. No file is a document or the source of an element, so nothing in it runs or is
 * loaded (decision 97, previews of artifacts).
 */
export function ArtifactPreview({ kind, path, name, size }: PreviewProps) {
  const { data, error } = useQuery<ImageBitmap | string>({
    queryKey: ['preview', path],
    queryFn: () => (kind === 'image' ? loadImage(path) : loadText(path)),
    retry: false,
    // Its pixels are not kept when the preview is closed.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  if (error) return <p className="text-sm text-soft">There is no preview: {error.message}.</p>;
  if (data === undefined) return <p className="text-sm text-soft">Loading…</p>;
  if (typeof data !== 'string') return <Painted image={data} name={name} />;
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
        tabIndex={0}
        aria-label={`Preview of ${name}`}
        className="max-h-96 overflow-auto rounded border border-line bg-sunken px-3 py-1.5"
      >
        <pre className="wrap-anywhere whitespace-pre-wrap">
          <VisibleLines text={data} />
        </pre>
      </section>
      {size > MAX_TEXT_BYTES && <p className="text-sm text-soft">These are the first 64 KiB.</p>}
    </>
  );
}

/** A canvas takes pixels only. The policy of the dashboard allows images of the hub's own, and none of `blob:` or `data:`. */
function Painted({ image, name }: { readonly image: ImageBitmap; readonly name: string }) {
  const paint = useCallback(
    (canvas: HTMLCanvasElement | null) => canvas?.getContext('2d')?.drawImage(image, 0, 0),
    [image],
  );
  return (
    <canvas
      ref={paint}
      role="img"
      aria-label={`Preview of ${name}`}
      width={image.width}
      height={image.height}
      className="max-h-96 max-w-full self-start border border-line object-contain"
    />
  );
}
