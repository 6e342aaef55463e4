interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of a PNG, JPEG, GIF or WebP in pixels, from its first bytes; undefined for anything else. A few bytes may hold an image of
 * gigabytes, so the size is known before a browser decodes it.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (hasText(bytes, 0, '\x89PNG\r\n\x1a\n'))
      return { width: view.getUint32(16), height: view.getUint32(20) };
    if (hasText(bytes, 0, 'GIF8')) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (hasText(bytes, 0, '\xff\xd8\xff')) return jpegSize(view);
    if (hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP')) return webpSize(bytes, view);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** The frame header is the first segment 0xC0 to 0xCF, except for three that hold tables (ITU T.81, table B.1). */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

/** RFC 9649: an extended file, or one image that is lossless or lossy. */
function webpSize(bytes: Uint8Array, view: DataView): ImageSize | undefined {
  const threeBytes = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (hasText(bytes, 12, 'VP8X')) return { width: threeBytes(24) + 1, height: threeBytes(27) + 1 };
  if (hasText(bytes, 12, 'VP8L')) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasText(bytes, 12, 'VP8 ')) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** Compares bytes with the code units of a text. */
function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  return [...text].every((char, index) => bytes[at + index] === char.charCodeAt(0));
}
