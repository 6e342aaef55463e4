import { expect, test } from 'bun:test';
import { AI_ACCESS, refusedByAccess } from './ai-access.ts';
import { annotationsOf } from './tool.ts';

test('off refuses everything, read_only whatever is not marked as reading, all nothing', () => {
  const [reads, writes, unmarked] = ([{ effects: 'read' }, { effects: 'write' }, {}] as const).map((of) => ({
    annotations: annotationsOf(of),
  }));
  const refused = [undefined, ...AI_ACCESS].map((access) =>
    [undefined, reads, writes, unmarked].map((tool) => refusedByAccess(access, tool) !== undefined),
  );
  expect(refused).toEqual([
    [false, false, false, false],
    [true, true, true, true],
    [false, false, true, true],
    [false, false, false, false],
  ]);
});
