import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { workerUrl } from './worker-url.ts';

const WORKERS = [
  'hub/platform/db/sqlite/writer-worker.ts',
  'hub/platform/db/sqlite/backup-worker.ts',
  'hub/platform/db/sqlite/check-worker.ts',
  'hub/platform/db/sqlite/read-worker.ts',
  'hub/platform/db/sqlite/checkpoint-worker.ts',
] as const;

test('from source, a worker is the module of that path', () => {
  for (const worker of WORKERS) expect(existsSync(workerUrl(worker))).toBe(true);
});

test('in a compiled binary, a worker is the entry of that path, wherever the binary is started', async () => {
  await using folder = await temporaryFolder();
  const program = join(folder.path, 'program');
  const build = Bun.spawn(
    [
      ...[process.execPath, 'build', '--compile', '--bytecode', '--format=esm', '--minify', '--keep-names'],
      ...['--root=.', `--outfile=${program}`, 'hub/platform/db/fixtures/store-from-binary.ts', ...WORKERS],
    ],
    {
      cwd: new URL('../../../..', import.meta.url).pathname,
      env: process.env,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  expect(await build.exited).toBe(0);
  const run = Bun.spawn([program], { cwd: folder.path, env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = await new Response(run.stdout).text();
  expect(JSON.parse(printed)).toEqual({ state: 'succeeded', health: { ok: true } });
  expect(existsSync(join(folder.path, 'copy.db'))).toBe(true);
}, 120_000);
