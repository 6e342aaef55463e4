// The page cache of the connection that writes is freed when the hub is idle.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, '../fixtures/idle-writer.ts');

test('the first batch after a pause frees the page cache, and those without a pause keep it', async () => {
  await using folder = await temporaryFolder();
  await using child = Bun.spawn([process.execPath, PROGRAM, folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { empty, full, idle } = JSON.parse(await new Response(child.stdout).text()) as Record<string, number>;
  expect(full).toBeGreaterThan((empty ?? 0) + 24);
  expect(idle).toBeLessThan((full ?? 0) - 24);
});
