import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { programTests } from './program-tests.ts';

test('tests that start the program, by whatever way, are those that the binary is run with', async () => {
  const found = await programTests('test/spec', join(import.meta.dir, '..'));
  expect(found).toContain('test/spec/start.test.ts');
  // By way of test/agent-program.ts or test/hub-program.ts.
  expect(found).toContain('test/spec/hub-killed.test.ts');
  // A hub in the process of the test.
  expect(found).not.toContain('test/spec/hub-calls.test.ts');
  expect(found).toEqual(found.toSorted());
});
