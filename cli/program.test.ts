import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Runs svc as if this machine had Windows. */
function svcOnWindows(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    ...['--preload', join(import.meta.dir, 'fixtures/as-windows.ts'), join(import.meta.dir, 'svc.ts')],
    ...args,
  ]);
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

test.each(['agent', 'agent install', 'hub', 'serve', 'up', 'admin users'])(
  'on Windows svc %s says that it is not supported yet',
  (line) => {
    const words = line.split(' ');
    const { exitCode, stderr } = svcOnWindows(...words);
    expect([exitCode, stderr]).toEqual([
      2,
      `error  svc ${words[0]} is not supported on Windows yet: Linux or macOS expected
try    svc call, which runs the endpoints of other machines
`,
    ]);
  },
);

test('on Windows the help of svc agent and the commands that call a hub work', () => {
  expect(svcOnWindows('agent', '--help').exitCode).toBe(0);
  expect(svcOnWindows('call', '--help').stdout).toContain('svc call');
  expect(svcOnWindows('validate', join(import.meta.dir, 'starter/svc.yaml')).exitCode).toBe(0);
});
