import { expect, test } from 'bun:test';
import { TailLog } from './tail-log.ts';

const line = (data: string) => ({ type: 'line', execution_id: 'x', endpoint: 'deploy', data }) as const;

test('the live output keeps lines and gaps in order, and the newest of too many with their numbers', () => {
  const log = new TailLog();
  log.add({ type: 'ready' });
  log.add({ ...line('a'), stream: 'stderr', cut: true });
  log.add({ type: 'dropped', lines: 3 });
  const before = log.rows();
  expect(before).toEqual([
    { kind: 'line', number: 0, executionId: 'x', endpoint: 'deploy', isError: true, text: 'a…' },
    { kind: 'dropped', number: 1, lines: 3 },
  ]);
  for (let n = 2; n <= 20_000; n += 1) log.add(line(String(n)));
  expect(log.count).toBe(20_001);
  expect(log.rows()).toHaveLength(15_000);
  expect(log.rows()[0]).toMatchObject({ number: 5_001, text: '5001' });
  expect(before).toHaveLength(2);
});
