import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findControlGroups } from './control-group.ts';
import { temporaryFolder } from './temporary-folder.ts';

const makeGroup = findControlGroups();
/** Works for 80 ms of processor time, then waits to be ended. */
const WORK = `for (; process.cpuUsage().user < 80_000; ); console.log('done'); setInterval(() => {}, 1e6);`;

test.skipIf(makeGroup === undefined)(
  'a process has no more than its slice, and outlives the group',
  async () => {
    await using child = Bun.spawn([process.execPath, '-e', WORK], { stdout: 'pipe' });
    const began = performance.now();
    {
      using group = makeGroup?.();
      group?.limit(0.3);
      group?.take(child.pid);
      await child.stdout.getReader().read();
      const { cpuMs = 0, periods = 0, throttled = 0 } = group?.use() ?? {};
      expect(cpuMs).toBeGreaterThan(50);
      expect(cpuMs / (performance.now() - began)).toBeLessThan(0.6);
      expect(throttled).toBeGreaterThan(periods / 2);
      expect(groupsOf(child.pid)).toContain('/svc-bench-');
    }
    expect(groupsOf(child.pid)).not.toContain('/svc-bench-');
    expect(child.exitCode).toBeNull();
  },
);

test('the second version limits and counts in one place', async () => {
  await using folder = await temporaryFolder();
  expect(findControlGroups(folder.path)).toBeUndefined();
  writeFileSync(join(folder.path, 'cgroup.subtree_control'), 'memory pids\n');
  expect(findControlGroups(folder.path)).toBeUndefined();
  writeFileSync(join(folder.path, 'cgroup.subtree_control'), 'cpuset cpu memory\n');
  const group = findControlGroups(folder.path)?.();
  const made = join(
    folder.path,
    readdirSync(folder.path).find((name) => name.startsWith('svc-bench-')) ?? '',
  );
  group?.limit(0.25);
  group?.take(42);
  writeFileSync(join(made, 'cpu.stat'), 'usage_usec 5000\nnr_periods 7\nnr_throttled 3\nthrottled_usec 9\n');
  expect(readFileSync(join(made, 'cpu.max'), 'utf8')).toBe('2500 10000');
  expect(readFileSync(join(made, 'cgroup.procs'), 'utf8')).toBe('42');
  expect(group?.use()).toEqual({ cpuMs: 5, periods: 7, throttled: 3 });
});

function groupsOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
}
