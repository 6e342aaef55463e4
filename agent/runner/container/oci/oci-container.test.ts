import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../engine.ts';
import type { Cgroups } from './cgroup/cgroups.ts';
import { OciContainer, PID_FILE } from './oci-container.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-oci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A container with these processes in its group, and with a program of this machine instead of the runtime, which removes
 * the group at its end.
 */
function containerOf(
  command: readonly string[],
  pids: readonly number[] = [],
  atTheEnd = `rm -r ${folder}/groups/id`,
): OciContainer {
  const groups = join(folder, 'groups');
  mkdirSync(join(groups, 'id'), { recursive: true });
  writeFileSync(join(groups, 'id', 'cgroup.procs'), pids.map((pid) => `${pid}\n`).join(''));
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle);
  const cgroups: Cgroups = {
    folders: [groups],
    pathOf: (id) => id,
    limit: () => {},
    memoryKills: () => 0,
  };
  const argv = ['sh', '-c', `"$@"; ${atTheEnd}`, 'sh', ...command];
  const runtime = Bun.spawn(argv, { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  return new OciContainer({ id: 'id', runtime, bundle, cgroups });
}

function recorded(pid: number): void {
  writeFileSync(join(folder, 'bundle', PID_FILE), String(pid));
}

test('the pid of a process 1 that has ended is not killed', async () => {
  await using other = Bun.spawn(['sleep', '600']);
  const container = containerOf(['cat']);
  recorded(other.pid);
  await container.remove();
  expect(other.killed).toBe(false);
  expect(() => process.kill(other.pid, 0)).not.toThrow();
});

test('a process 1 in its group is killed, whatever it does with its input', async () => {
  await using first = Bun.spawn(['sleep', '600']);
  const container = containerOf(['sh', '-c', `while kill -0 ${first.pid}; do sleep 0.01; done`], [first.pid]);
  recorded(first.pid);
  await container.remove();
  expect(await first.exited).not.toBe(0);
  expect(first.signalCode).toBe('SIGKILL');
});

test('a control group that cannot be removed is reported, and everything else is removed', async () => {
  const container = containerOf(['true'], [], 'true');
  const failure = await container.remove().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(EngineError);
  expect(existsSync(join(folder, 'bundle'))).toBe(false);
});

test('the end of the error stream is kept, however long it is', async () => {
  const container = containerOf(['sh', '-c', 'head -c 5000000 /dev/zero | tr "\\0" x >&2; echo last >&2']);
  const said = await container.ended;
  expect(said).toEndWith('xlast');
  expect(said.length).toBeLessThanOrEqual(2_000);
});
