import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootId } from './boot-id.ts';
import { claimInstance } from './claim-instance.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-instance-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Another process that claims one and says which, until it is killed. */
async function otherProcess() {
  const module = new URL('./claim-instance.ts', import.meta.url).pathname;
  const code = `const { claimInstance } = await import('${module}'); console.log(JSON.stringify(claimInstance('${root}'))); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  const { id, folder } = JSON.parse(new TextDecoder().decode(value)) as { id: string; folder: string };
  return { id, folder, child };
}

test('processes at the same time get a folder and an id each', async () => {
  const ours = claimInstance(root);
  const another = claimInstance(root);
  const { id, folder, child } = await otherProcess();
  expect(new Set([ours.folder, another.folder, folder]).size).toBe(3);
  expect(new Set([ours.id, another.id, id]).size).toBe(3);
  child.kill('SIGKILL');
  await child.exited;
  ours.release();
  another.release();
});

test('the process after one that was killed has its folder and its id', async () => {
  const { id, folder, child } = await otherProcess();
  expect(claimInstance(root).id).not.toBe(id);
  child.kill('SIGKILL');
  await child.exited;
  const next = claimInstance(root);
  expect(next).toMatchObject({ id, folder });
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

test('an id that is no id is replaced', () => {
  const first = claimInstance(root);
  first.release();
  writeFileSync(join(first.folder, 'instance'), 'rubbish');
  const next = claimInstance(root);
  expect(next.folder).toBe(first.folder);
  expect(next.id).toMatch(/^[0-9a-f-]{36}$/);
  next.release();
  const again = claimInstance(root);
  expect(again.id).toBe(next.id);
  again.release();
});

test('others cannot look into the folder', () => {
  const instance = claimInstance(root);
  expect(statSync(instance.folder).mode & 0o077).toBe(0);
  instance.release();
});

test('the boot id stays the same until the machine is started again', () => {
  expect(bootId()).toBe(bootId());
  expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
});
