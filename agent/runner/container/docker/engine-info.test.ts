import { expect, test } from 'bun:test';
import { engineProblems } from './engine-info.ts';

const SOUND = {
  OSType: 'linux',
  MemoryLimit: true,
  SwapLimit: true,
  CpuCfsQuota: true,
  PidsLimit: true,
  SecurityOptions: ['name=apparmor', 'name=seccomp,profile=default'],
};

test('an engine that enforces everything has no problems', () => {
  expect(engineProblems(SOUND, 1)).toEqual([]);
});

test.each([
  ['linux', { OSType: 'windows' }, 'windows'],
  ['memory', { MemoryLimit: false }, 'limit memory'],
  ['swap', { SwapLimit: false }, 'swapping'],
  ['processors', { CpuCfsQuota: false }, 'limit processors'],
  ['processes', { PidsLimit: undefined }, 'limit processes'],
  ['system calls', { SecurityOptions: null }, 'filter system calls'],
])('an engine that reports a missing feature: %s', (_what, different, problem) => {
  const [found, ...others] = engineProblems({ ...SOUND, ...different } as typeof SOUND, 1);
  expect(found).toContain(problem);
  expect(others).toEqual([]);
});

test('a machine without swap needs no swap limit', () => {
  expect(engineProblems({ ...SOUND, SwapLimit: false }, 0)).toEqual([]);
});
