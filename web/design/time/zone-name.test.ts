import { expect, test } from 'bun:test';
import { zoneName } from './zone-name.ts';

const WINTER = Date.UTC(2026, 0, 15, 12);
const SUMMER = Date.UTC(2026, 6, 15, 12);

test.each([
  ['America/New_York', 'EST', 'EDT'],
  ['America/Los_Angeles', 'PST', 'PDT'],
  ['Europe/Berlin', 'CET', 'CEST'],
  ['Europe/London', undefined, 'BST'],
  ['Australia/Sydney', 'AEDT', 'AEST'],
  ['Asia/Kolkata', 'IST', 'IST'],
  // The offset stands for these.
  ['Asia/Kathmandu', undefined, undefined],
  ['UTC', undefined, undefined],
])('%s is %p in January and %p in July', (zone, winter, summer) => {
  expect(zoneName(WINTER, zone)).toBe(winter);
  expect(zoneName(SUMMER, zone)).toBe(summer);
});
