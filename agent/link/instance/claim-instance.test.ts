import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimInstance } from './claim-instance.ts';
import { bootId } from './state.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-instance-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Starts a process that claims a folder and prints its name, until it is killed. */
async function otherProcess() {
  const module = new URL('./claim-instance.ts', import.meta.url).pathname;
  const code = `const { claimInstance } = await import('${module}'); console.log(JSON.stringify(claimInstance('${root}'))); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  const { folder } = JSON.parse(new TextDecoder().decode(value)) as { folder: string };
  return { folder, child };
}

test('processes at the same time get a folder each', async () => {
  const ours = claimInstance(root);
  const another = claimInstance(root);
  const { folder, child } = await otherProcess();
  expect(new Set([ours.folder, another.folder, folder]).size).toBe(3);
  child.kill('SIGKILL');
  await child.exited;
  ours.release();
  another.release();
});

test('a process gets the folder of one that was killed', async () => {
  const { folder, child } = await otherProcess();
  expect(claimInstance(root).folder).not.toBe(folder);
  child.kill('SIGKILL');
  await child.exited;
  const next = claimInstance(root);
  expect(next).toMatchObject({ folder });
  next.release();
});

test('a command that outlives its agent does not hold the folder', async () => {
  const first = claimInstance(root);
  const command = Bun.spawn(['sleep', '60'], { detached: true });
  first.release();
  const next = claimInstance(root);
  expect(next.folder).toBe(first.folder);
  next.release();
  command.kill('SIGKILL');
  await command.exited;
});

test('other users cannot read the folder', () => {
  const instance = claimInstance(root);
  expect(statSync(instance.folder).mode & 0o077).toBe(0);
  instance.release();
});

test('a folder that other users could read is closed to them', () => {
  const first = claimInstance(root);
  first.release();
  chmodSync(first.folder, 0o755);
  const next = claimInstance(root);
  expect(statSync(next.folder).mode & 0o777).toBe(0o700);
  next.release();
});

test('the boot id stays the same until the machine is started again', () => {
  expect(bootId()).toBe(bootId());
  expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
});
