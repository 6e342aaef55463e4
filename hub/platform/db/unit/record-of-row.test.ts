import { expect, test } from 'bun:test';
import { recordOf, rowOf } from './record-of-row.ts';

const ROW = { id: 'a', last4: 'wxyz', created_at_ms: 0, used_at_ms: null, name: '', is_pool: 0 };
const RECORD = { id: 'a', last4: 'wxyz', createdAtMs: 0, usedAtMs: undefined, name: '', isPool: 0 };

test('a row is a record with names of code, and with undefined for null', () => {
  expect(recordOf(ROW)).toStrictEqual(RECORD);
});

test('a record is a row with names of columns, and with null for undefined', () => {
  expect(rowOf(RECORD)).toStrictEqual({ ...ROW });
});
