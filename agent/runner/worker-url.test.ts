import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerUrl } from './worker-url.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-binary-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('from source, a worker is the module of that path', () => {
  expect(existsSync(workerUrl('agent/runner/process/worker.ts'))).toBe(true);
});

test('in a compiled binary, a worker is the entry of that path, wherever the binary is started', async () => {
  const program = join(folder, 'program');
  const build = Bun.spawn(
    [
      process.execPath,
      'build',
      '--compile',
      '--bytecode',
      '--format=esm',
      '--minify',
      '--keep-names',
      '--root=.',
      `--outfile=${program}`,
      'agent/runner/process/fixtures/echo-from-binary.ts',
      'agent/runner/process/worker.ts',
    ],
    {
      cwd: new URL('../..', import.meta.url).pathname,
      env: process.env,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    },
  );
  expect(await build.exited).toBe(0);
  const run = Bun.spawn([program], {
    cwd: folder,
    env: {},
    stdin: new Blob(['not for the command']),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = 'data: {"type":"output","data":"hi from /bin/sh, stdin is /dev/null"}\n\n';
  expect(JSON.parse(await new Response(run.stdout).text())).toEqual({ text, ending: 'exited' });
}, 120_000);
