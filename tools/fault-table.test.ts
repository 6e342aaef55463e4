import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { FAULTS, faultMarkdown, PLACES } from './fault-table.ts';

test('each line of the list has tests, in existing files', () => {
  for (const { fault, tests } of FAULTS) {
    expect([fault, tests.length > 0]).toEqual([fault, true]);
    for (const { file } of tests) expect([file, existsSync(file)]).toEqual([file, true]);
  }
  expect(faultMarkdown().split('\n')).toHaveLength(FAULTS.length + 2);
});

test('there is no place on which nothing is injected', () => {
  for (const place of PLACES)
    expect(FAULTS.filter(({ tests }) => tests.some(({ on }) => on.includes(place))).length).toBeGreaterThan(
      0,
    );
});
