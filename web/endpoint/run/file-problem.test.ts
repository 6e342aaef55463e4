import { expect, test } from 'bun:test';
import type { WireArgument } from '../wire-endpoint.ts';
import { acceptedFile, fileProblem, fileSize } from './file-problem.ts';

const photo: WireArgument = {
  name: 'photo',
  type: 'file',
  inferred: false,
  required: true,
  secret: false,
  allow_dash: false,
};

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_999_999, '1.9 MB'],
  [20_000_000, '20 MB'],
  [100 * 1024 * 1024, '100 MiB'],
  [10 * 1024 ** 3, '10 GiB'],
])('a size of %i bytes reads %s', (bytes, text) => expect(fileSize(bytes)).toBe(text));

test('a form says which files an argument takes, with the limit that holds without one', () => {
  expect(acceptedFile({})).toBe('a file of any type, up to 100 MiB');
  expect(acceptedFile({ accept: ['image/png', 'image/*'], max_bytes: 5_000 })).toBe(
    'a file of type image/png or image/*, up to 5 kB',
  );
});

test('a file that is missing or too long is a problem, and none that is optional', () => {
  const given = (bytes: number) => new Map([['photo', new File(['x'.repeat(bytes)], 'a')]]);
  expect(fileProblem(photo, new Map())).toBe('it is required: choose a file');
  expect(fileProblem({ ...photo, required: false }, new Map())).toBeUndefined();
  expect(fileProblem({ ...photo, max_bytes: 3 }, given(3))).toBeUndefined();
  expect(fileProblem({ ...photo, max_bytes: 3 }, given(4))).toBe(
    'the file has 4 bytes; at most 3 bytes are accepted',
  );
});
