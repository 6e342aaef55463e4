import { expect, test } from 'bun:test';
import { contentType, isAcceptedType } from './content-type.ts';

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049454e44ae426082',
  'hex',
);

test.each<[string, Uint8Array, string, boolean, string | undefined]>([
  ['a signature', PNG, 'image/png', false, 'png'],
  ['a text', Buffer.from('a;b\n1;2\n'), 'text/plain', true, undefined],
  ['a text that ends within a character', Buffer.from('é').subarray(0, 1), 'text/plain', true, undefined],
  ['nothing', new Uint8Array(), 'text/plain', true, undefined],
  ['bytes', Buffer.from([1, 2, 0, 255]), 'application/octet-stream', false, undefined],
  [
    'a text with a signature of XML',
    Buffer.from('<?xml version="1.0"?><svg/>'),
    'application/xml',
    true,
    'xml',
  ],
])('%s has a type by its content', async (_what, bytes, type, isText, ending) => {
  expect(await contentType(bytes)).toEqual({ type, isText, ending });
});

test.each<[string, boolean, string[], boolean]>([
  ['image/png', false, ['image/png'], true],
  ['image/png', false, ['image/*'], true],
  ['image/png', false, ['image/jpeg', 'text/*'], false],
  ['text/plain', true, ['text/csv'], true],
  ['text/plain', true, ['application/json'], true],
  ['application/xml', true, ['image/svg+xml'], true],
  ['text/plain', true, ['image/*'], false],
  ['application/octet-stream', false, ['text/*', 'application/json'], false],
])('%s (text: %s) for %j: %p', (type, isText, accept, accepted) => {
  expect(isAcceptedType({ type, isText }, { accept })).toBe(accepted);
});
