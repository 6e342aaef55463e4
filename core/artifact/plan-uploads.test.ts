import { expect, test } from 'bun:test';
import { planUploads } from './plan-uploads.ts';

const ROOM = { freeBytes: 100, plan: 'free' } as const;
const file = (name: string, size: number) => ({ name, size });

test('a first announcement numbers the files, and those that are missing', () => {
  const missing = [{ name: 'link', reason: 'it is a symbolic link' }];
  const plan = planUploads([], { files: [file('a', 60), file('b', 40)], missing }, ROOM);
  expect(plan).toEqual({
    added: [
      { id: 1, name: 'a', size: 60, state: 'uploading', reason: undefined },
      { id: 2, name: 'b', size: 40, state: 'uploading', reason: undefined },
      { id: 3, name: 'link', size: 0, state: 'missing', reason: 'it is a symbolic link' },
    ],
    givenUp: [],
    uploads: [
      { file: 0, id: 1, state: 'uploading' },
      { file: 1, id: 2, state: 'uploading' },
    ],
  });
});

test('a file for which there is no room is missing, and a smaller one after it is taken', () => {
  const files = [file('a', 60), file('b', 41), file('c', 40)];
  const { added, uploads } = planUploads([], { files, missing: [] }, ROOM);
  expect(uploads.map(({ state }) => state)).toEqual(['uploading', 'missing', 'uploading']);
  expect(added[1]).toMatchObject({ size: 0, reason: 'the plan free has no room for it' });
});

test('nothing is taken by a workspace that stores more than its plan allows', () => {
  const room = { freeBytes: -1, plan: 'free' } as const;
  expect(planUploads([], { files: [file('a', 0)], missing: [] }, room).uploads).toMatchObject([
    { state: 'missing' },
  ]);
});

const known = [
  { id: 1, name: 'a', size: 60, state: 'uploading' },
  { id: 2, name: 'b', size: 40, state: 'stored' },
  { id: 3, name: 'c', size: 0, state: 'missing' },
] as const;

test('a repeated announcement adds nothing, and keeps numbers and states, without room too', () => {
  const files = [file('c', 7), file('b', 40), file('a', 60)];
  const room = { freeBytes: 0, plan: 'free' } as const;
  expect(planUploads(known, { files, missing: [] }, room)).toEqual({
    added: [],
    givenUp: [],
    uploads: [
      { file: 0, id: 3, state: 'missing' },
      { file: 1, id: 2, state: 'stored' },
      { file: 2, id: 1, state: 'uploading' },
    ],
  });
});

test('a file that has another size than before is given up, and later ones get the next numbers', () => {
  const plan = planUploads(known, { files: [file('a', 61), file('d', 1)], missing: [] }, ROOM);
  expect(plan.givenUp).toEqual([{ id: 1, reason: 'it changed while it was sent' }]);
  expect(plan.uploads).toEqual([
    { file: 0, id: 1, state: 'missing' },
    { file: 1, id: 4, state: 'uploading' },
  ]);
});
