import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupIds, processesOf } from './cgroups.ts';
import { findCgroups } from './find-cgroups.ts';

const MIB = 1024 * 1024;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cgroups-'));
  folders.push(folder);
  return folder;
}

const v1 = (folder: string, controller: string) =>
  `32 31 0:29 / ${folder}/${controller} rw,relatime - cgroup cgroup rw,${controller}`;
const v2 = (folder: string) => `32 31 0:29 / ${folder} rw,relatime - cgroup2 cgroup2 rw`;

test('the first version has a hierarchy for each controller', () => {
  const folder = place();
  const mounts = ['memory', 'cpu', 'pids', 'freezer'].map((controller) => v1(folder, controller));
  for (const [controller, files] of Object.entries({
    memory: { 'memory.limit_in_bytes': '1', 'memory.memsw.limit_in_bytes': '1' },
    cpu: {},
  })) {
    mkdirSync(`${folder}/${controller}/svc-x/id`, { recursive: true });
    for (const [name, text] of Object.entries(files))
      writeFileSync(`${folder}/${controller}/svc-x/id/${name}`, text);
  }
  const cgroups = findCgroups('svc-x', mounts.join('\n'));
  expect(cgroups.pathOf('id')).toBe('/svc-x/id');
  cgroups.limit('id', { vcpus: 0.5, memoryBytes: 64 * MIB });
  const written = (file: string) => readFileSync(`${folder}/${file.replace('/', '/svc-x/id/')}`, 'utf8');
  expect(written('memory/memory.limit_in_bytes')).toBe(String(64 * MIB));
  expect(written('memory/memory.memsw.limit_in_bytes')).toBe(String(64 * MIB));
  expect(written('cpu/cpu.cfs_quota_us')).toBe('50000');
  writeFileSync(
    `${folder}/memory/svc-x/id/memory.oom_control`,
    'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
  );
  expect(cgroups.memoryKills('id')).toBe(3);
  expect(groupIds(cgroups)).toEqual(['id']);
});

test('the second version has one for everything', () => {
  const folder = place();
  writeFileSync(`${folder}/cgroup.controllers`, 'cpuset cpu io memory hugetlb pids\n');
  mkdirSync(`${folder}/svc-x/id`, { recursive: true });
  writeFileSync(`${folder}/svc-x/id/memory.swap.max`, 'max');
  writeFileSync(
    `${folder}/svc-x/id/memory.events`,
    'low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n',
  );
  writeFileSync(`${folder}/svc-x/id/cgroup.procs`, '12\n34\n');
  const cgroups = findCgroups('svc-x', v2(folder));
  cgroups.limit('id', { vcpus: 2, memoryBytes: 512 * MIB });
  const written = (name: string) => readFileSync(`${folder}/svc-x/id/${name}`, 'utf8');
  expect([written('memory.max'), written('memory.swap.max'), written('cpu.max')]).toEqual([
    String(512 * MIB),
    '0',
    '200000 100000',
  ]);
  expect(cgroups.memoryKills('id')).toBe(1);
  expect(processesOf(cgroups, 'id')).toEqual([12, 34]);
});

test('a machine without a controller is refused, by its name', () => {
  const folder = place();
  const mounts = [v1(folder, 'cpu'), v1(folder, 'pids')].join('\n');
  expect(() => findCgroups('svc-x', mounts)).toThrow('it has no control group controller for memory');
  writeFileSync(`${folder}/cgroup.controllers`, 'hugetlb\n');
  expect(() => findCgroups('svc-x', v2(folder))).toThrow('for memory, cpu, pids');
});
