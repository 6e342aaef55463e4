import { expect, test } from 'bun:test';
import { imageSize } from './image-size.ts';
import { previewKind } from './load-preview.ts';

const bytes = (text: string) => Uint8Array.from([...text], (char) => char.charCodeAt(0));

test.each([
  ['PNG', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x02\0\0\0\x03', { width: 258, height: 3 }],
  ['GIF', 'GIF89a\x02\x01\x03\0', { width: 258, height: 3 }],
  [
    'JPEG, behind tables and a comment',
    '\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x03a\xff\xfe\0\x02\xff\xc2\0\x11\x08\0\x03\x01\x02',
    { width: 258, height: 3 },
  ],
  ['WebP, extended', `RIFF\0\0\0\0WEBPVP8X${'\0'.repeat(8)}\x01\x01\0\x02\0\0`, { width: 258, height: 3 }],
  ['WebP, lossless', 'RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x01\x81\0\0', { width: 258, height: 3 }],
  [
    'WebP, lossy',
    `RIFF\0\0\0\0WEBPVP8 ${'\0'.repeat(7)}\x9d\x01\x2a\x02\x01\x03\0`,
    { width: 258, height: 3 },
  ],
])('%s has its size in its first bytes', (_, text, size) => {
  expect(imageSize(bytes(text))).toEqual(size);
});

test.each([
  ['nothing', ''],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
  ['a PNG that ends early', '\x89PNG\r\n\x1a\n\0\0'],
  ['a JPEG without a frame', '\xff\xd8\xff\xe0\0\x04ab'],
  ['a JPEG whose segments do not follow each other', '\xff\xd8\xff\xe0\0\x02abcdefgh'],
  ['a WebP of another kind', 'RIFF\0\0\0\0WEBPALPH\0\0\0\0'],
])('%s has no size', (_, text) => {
  expect(imageSize(bytes(text))).toBeUndefined();
});

test('images are previewed up to 10 MB, texts of any size, and an SVG as a text', () => {
  expect(previewKind('image/png', 10_000_000)).toBe('image');
  expect(previewKind('image/png', 10_000_001)).toBeUndefined();
  expect(previewKind('image/svg+xml', 5)).toBe('text');
  expect(previewKind('text/html;charset=utf-8', 1e12)).toBe('text');
  expect(previewKind('application/json;charset=utf-8', 5)).toBe('text');
  expect(previewKind('application/zip', 5)).toBeUndefined();
});
