import { expect, test } from 'bun:test';
import { cpuOf, readCpuTime, readResidentKib, residentMiB } from './process-use.ts';

const STAT =
  '42 (a ) b (c) S 1 42 42 0 -1 4194560 500 600 7 8 120 30 45 5 20 0 9 0 1000 2000000 3000 18446744073709551615';

test('processor time is read behind a name with spaces and parentheses, own and of children apart', () => {
  expect(readCpuTime(STAT)).toEqual({ ownMs: 1500, childrenMs: 500 });
});

test('memory is that which is resident', () => {
  expect(readResidentKib('VmHWM:\t  900 kB\nVmRSS:\t  123 kB\nRssAnon:\t 1 kB\n')).toBe(123);
  expect(() => readResidentKib('Name: x')).toThrow('VmRSS');
});

test('a process that works takes processor time and has memory', async () => {
  const { cpu } = await cpuOf(process.pid, async () => {
    for (const until = performance.now() + 100; performance.now() < until; );
  });
  expect(cpu.ownMs).toBeGreaterThanOrEqual(10);
  expect(residentMiB(process.pid)).toBeGreaterThan(1);
});
