import { actingHeaders } from '../../account/chosen-workspace.ts';
import { imageSize } from './image-size.ts';

export type PreviewKind = 'image' | 'text';

const MAX_IMAGE_BYTES = 10_000_000;
const MAX_IMAGE_PIXELS = 40_000_000;
/** A wider image is painted smaller. */
const MAX_PAINTED_WIDTH = 1600;
export const MAX_TEXT_BYTES = 64 * 1024;

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;
const TEXT =
  /^(?:text\/.*|image\/svg\+xml|application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|x-sh|sql))$/;

/** How a file can be previewed, by its type and size; undefined if it cannot. An SVG is previewed as the text that it is. */
export function previewKind(type: string, size: number): PreviewKind | undefined {
  const [essence = ''] = type.split(';');
  if (IMAGE.test(essence)) return size <= MAX_IMAGE_BYTES ? 'image' : undefined;
  return TEXT.test(essence) ? 'text' : undefined;
}

/** The pixels of an image. Throws for a file that is no image, or a large one. */
export async function loadImage(path: string): Promise<ImageBitmap> {
  const bytes = await bytesOf(path, MAX_IMAGE_BYTES);
  const size = imageSize(bytes);
  if (size === undefined) throw new Error('the file is no PNG, JPEG, GIF or WebP');
  if (size.width * size.height > MAX_IMAGE_PIXELS)
    throw new Error(`the image has ${size.width} × ${size.height} pixels, too many for a preview`);
  const resize = size.width > MAX_PAINTED_WIDTH ? { resizeWidth: MAX_PAINTED_WIDTH } : {};
  return await createImageBitmap(new Blob([bytes]), resize);
}

/** The first 64 KiB of a text. Throws for a file that is no UTF-8. */
export async function loadText(path: string): Promise<string> {
  const bytes = await bytesOf(path, MAX_TEXT_BYTES);
  // `stream`: the last character may be cut in half.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  if (text.includes('\0')) throw new Error('the file is no text');
  return text;
}

async function bytesOf(path: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(path, {
    headers: { ...actingHeaders(), Range: `bytes=0-${maxBytes - 1}` },
  });
  // An empty file has no range.
  if (response.status === 416) return new Uint8Array();
  if (!response.ok) throw new Error(`the hub returned status ${response.status}`);
  return await response.bytes();
}
