// Runs of `bun test` on files of their own, and what is read from them.
import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { readSuite } from './suite-output.ts';

const FILES = {
  'spec/one.test.ts': `import { expect, test } from 'bun:test';
    test('passes', () => expect(1).toBe(1));
    test.skip('is skipped', () => {});`,
  'other/again.test.ts': `await import('../spec/one.test.ts');`,
  'other/skipped.test.ts': `import { test } from 'bun:test';
    test.skip('nothing to test here', () => {});`,
};

async function resultOf(option: '--no-isolate' | '--isolate') {
  await using folder = await temporaryFolder();
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(join(folder.path, file, '..'), { recursive: true });
    await Bun.write(join(folder.path, file), text);
  }
  const suite = Bun.spawn([process.execPath, 'test', option, './'], {
    cwd: folder.path,
    env: { ...process.env, AGENT: undefined, CLAUDECODE: undefined, REPL_ID: undefined, FORCE_COLOR: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Its lines in the output of this run would be counted with those of this run.
  return await readSuite(suite.stderr, suite.exited, () => undefined);
}

test('a run fails when a file reports no test, because another one has registered its tests before', async () => {
  const { passed, failed, skipped, filesWithoutTests, files } = await resultOf('--no-isolate');
  expect({ passed, failed, skipped, filesWithoutTests }).toEqual({
    ...{ passed: 1, failed: 1, skipped: 2, filesWithoutTests: 1 },
  });
  expect(files.size).toBe(2);
});

test('a run passes when each file reports a test, though it skips it', async () => {
  const { passed, failed, skipped, filesWithoutTests, files } = await resultOf('--isolate');
  expect({ passed, failed, skipped, filesWithoutTests }).toEqual({
    ...{ passed: 2, failed: 0, skipped: 3, filesWithoutTests: 0 },
  });
  expect([...files].sort()).toEqual(Object.keys(FILES).sort());
});
