import { expect, test } from 'bun:test';
import { actionWords } from './actions.ts';
import type { StoredAuditEntry } from './entry.ts';
import { hashedOf, parseAuditRecord } from './wire-record.ts';

const HASH = '0'.repeat(64);
const ENTRY: StoredAuditEntry = {
  workspaceId: 'w',
  atMs: Date.parse('2026-11-20T12:00:00.000Z'),
  action: 'robot.taught',
  actor: { kind: 'robot', id: undefined, name: 'R2' },
  from: { address: undefined, userAgent: undefined },
  target: { kind: 'lesson', id: '1', name: 'first' },
  details: {},
};

test('an entry of a later version is read and shown unchanged', () => {
  const text = JSON.stringify(hashedOf(ENTRY, 1, HASH));
  expect(parseAuditRecord(text, HASH)).toEqual({ entry: ENTRY, seq: 1, previousHash: HASH, hash: HASH });
  expect(actionWords(ENTRY.action)).toBe('did "robot.taught"');
  expect(actionWords('toString')).toBe('did "toString"');
});

test('a text that was never an entry is not read', () => {
  const { seq, ...rest } = hashedOf(ENTRY, 1, HASH);
  expect(parseAuditRecord(JSON.stringify(rest), HASH)).toBeUndefined();
  expect(parseAuditRecord('{"seq":', HASH)).toBeUndefined();
});
