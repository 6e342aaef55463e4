import { expect, test } from 'bun:test';
import type { Artifact } from './artifact-ports.ts';
import { ByteChecks, type StoredFile } from './byte-checks.ts';

const file = (workspaceId: string, id: number) => ({ executionId: workspaceId, id, workspaceId }) as Artifact;
const STORED = { state: 'stored' } as const;

test('a workspace that ends hundreds of files at once compares a few, and delays no other', async () => {
  const checks = new ByteChecks();
  const begun: number[] = [];
  const ends: ((result: StoredFile) => void)[] = [];
  const first = Array.from({ length: 500 }, (_, id) =>
    checks.run(file('first', id), 'a', () => {
      begun.push(id);
      return new Promise((resolve) => ends.push(resolve));
    }),
  );
  expect(await checks.run(file('second', 1), 'a', async () => STORED)).toEqual(STORED);
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const result of first) {
    ends.shift()?.(STORED);
    expect(await result).toEqual(STORED);
  }
  expect(begun.length).toBe(500);
});

test('a comparison that fails leaves its slot and its file', async () => {
  const checks = new ByteChecks();
  const fails = () => Promise.reject(new Error('no store'));
  for (let count = 0; count < 9; count += 1)
    expect(await checks.run(file('first', 1), `${count}`, fails).catch(String)).toBe('Error: no store');
  expect(await checks.run(file('first', 1), 'a', async () => STORED)).toEqual(STORED);
});
