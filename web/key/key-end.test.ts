import { expect, test } from 'bun:test';
import { keyEnd } from './key-end.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const EARLIER = '2026-11-20T11:59:59.999Z';
const LATER = '2026-11-20T12:00:00.001Z';

test.each([
  [{ revoked_at: null, expires_at: null }, undefined],
  [
    { revoked_at: null, expires_at: LATER },
    { word: 'expires', at: LATER, isOver: false },
  ],
  [
    { revoked_at: null, expires_at: '2026-11-20T12:00:00.000Z' },
    { word: 'expired', at: '2026-11-20T12:00:00.000Z', isOver: true },
  ],
  [
    { revoked_at: EARLIER, expires_at: LATER },
    { word: 'revoked', at: EARLIER, isOver: true },
  ],
] as const)('%j ends as %j', (key, end) => {
  expect(keyEnd(key, NOW)).toEqual(end);
});
