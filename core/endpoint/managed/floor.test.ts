import { describe, expect, test } from 'bun:test';
import type { WireDefinition } from '../../protocol/definition.ts';
import { Refusal } from '../../refusal.ts';
import { decideEndpointChange } from './decide-endpoint.ts';
import { FLOOR_FIELDS, type FloorField } from './floor.ts';
import { effectiveEndpoint, outdoneOverrides } from './overrides.ts';

const BASE = { name: 'a', command: 'true' };

function changed(file: WireDefinition, changes: WireDefinition, overrides: WireDefinition = {}) {
  const endpoint = effectiveEndpoint({ ...BASE, ...file }, overrides);
  if (endpoint === undefined) throw new Error('this cannot be read');
  const current = {
    source: 'config',
    registeredBy: 'build',
    version: 1,
    endpoint,
    definition: { ...BASE, ...file },
    overrides,
  } as const;
  try {
    return decideEndpointChange(current, changes, {}).endpoint;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

type Row = readonly [
  field: FloorField,
  file: unknown,
  tighter: readonly unknown[],
  looser: readonly unknown[],
];

/** `undefined`: the file does not say it, and what it does not open stays closed. */
const TABLE: readonly Row[] = [
  ['approval_required', true, [true], [false]],
  ['approval_required', undefined, [true, false], []],
  ['approval', 'passkey', ['passkey'], []],
  ['approval', undefined, ['passkey'], []],
  ['allow_self', false, [false], [true]],
  ['allow_self', undefined, [true, false], []],
  ['public', true, [true, false], []],
  ['public', false, [false], [true]],
  ['public', undefined, [false], [true]],
  ['max_concurrent', 3, [1, 2, 3], [4, 1000]],
  ['max_concurrent', undefined, [1, 1000], []],
  ['timeout', 9, [1, 9], [10, 86_400]],
  ['timeout', undefined, [1, 60], [61]],
  ['mcp', false, [false], [true]],
  ['mcp', undefined, [true, false], []],
  ['effects', 'destroy', ['destroy'], ['write', 'read']],
  ['effects', 'write', ['write', 'destroy'], ['read']],
  ['effects', 'read', ['read', 'write', 'destroy'], []],
  ['effects', undefined, ['read', 'write', 'destroy'], []],
  ['idempotent', false, [false], [true]],
  ['idempotent', undefined, [true, false], []],
  [
    'approvers',
    ['admin', 'lin@x.org'],
    [['admin'], ['LIN@x.org'], ['lin@x.org', 'admin']],
    [['owner'], ['admin', 'owner']],
  ],
  ['approvers', undefined, [['member'], ['a@b.c']], []],
];

describe('a floor of the file', () => {
  test('exists for each field', () => {
    expect(new Set(TABLE.map(([field]) => field))).toEqual(new Set(FLOOR_FIELDS));
  });

  for (const [field, inFile, tighter, looser] of TABLE) {
    const file = inFile === undefined ? {} : { [field]: inFile };
    for (const value of tighter)
      test(`${field}: ${JSON.stringify(inFile)} takes ${JSON.stringify(value)}`, () => {
        expect(changed(file, { [field]: value })).not.toBeInstanceOf(Refusal);
      });
    for (const value of looser)
      test(`${field}: ${JSON.stringify(inFile)} refuses ${JSON.stringify(value)}`, () => {
        const refusal = changed(file, { [field]: value });
        expect(refusal).toMatchObject({ code: 'managed_by_config', details: { fields: [field] } });
        expect((refusal as Refusal).message).toContain('change svc.yaml on the agent "build"');
      });
  }

  test('is refused with the value of the file and the accepted ones', () => {
    expect((changed({ timeout: 9 }, { timeout: 10 }) as Refusal).message).toBe(
      'timeout: the file says 9; only a number from 1 to 9 is accepted here; change svc.yaml on the agent "build" to allow more',
    );
  });

  test('does not keep a change of another field from being stored, whatever was stored before', () => {
    const now = changed({ timeout: 9 }, { description: 'x' }, { timeout: 500, public: true });
    expect(now).toMatchObject({ timeoutSec: 9, public: false, description: 'x' });
  });

  test('that rises later counts instead of an override, and of approvers only those of both lists', () => {
    const overrides = { timeout: 30, max_concurrent: 5, public: true, approvers: ['admin', 'owner'] };
    const file = { ...BASE, timeout: 10, max_concurrent: 2, approvers: ['owner', 'lin@x.org'] };
    expect(effectiveEndpoint(file, overrides)).toMatchObject({
      timeoutSec: 10,
      maxConcurrent: 2,
      public: false,
      approvers: ['owner'],
    });
    expect(outdoneOverrides(file, overrides)).toEqual(['approvers', 'public', 'max_concurrent', 'timeout']);
    expect(effectiveEndpoint({ ...file, approvers: ['member'] }, overrides)?.approvers).toEqual([]);
  });

  test('that rises later counts instead of what an override says to AI agents', () => {
    const overrides = { effects: 'read', idempotent: true, mcp: true };
    const file = { ...BASE, effects: 'destroy', idempotent: false, mcp: false };
    expect(effectiveEndpoint(file, overrides)).toMatchObject({
      effects: 'destroy',
      idempotent: false,
      mcp: false,
    });
    expect(outdoneOverrides(file, overrides)).toEqual(['mcp', 'effects', 'idempotent']);
  });

  test('that falls later leaves a stricter override unchanged', () => {
    const overrides = {
      timeout: 5,
      max_concurrent: 1,
      approval_required: true,
      allow_self: false,
      public: false,
    };
    const file = { ...BASE, timeout: 100, public: true };
    expect(effectiveEndpoint(file, overrides)).toMatchObject({
      timeoutSec: 5,
      maxConcurrent: 1,
      approvalRequired: true,
      allowSelf: false,
      public: false,
    });
    expect(outdoneOverrides(file, overrides)).toEqual([]);
  });
});

describe('another person than the caller', () => {
  const FOUR_EYES = { approval_required: true, allow_self: false };

  test('is not asked for beside a public URL or a schedule, in one change or the other', () => {
    for (const [file, changes, field] of [
      [{ public: true }, FOUR_EYES, 'public'],
      [{ schedule: '0 5 * * *' }, FOUR_EYES, 'schedule'],
      [FOUR_EYES, { schedule: '0 5 * * *' }, 'schedule'],
    ] as const)
      expect(changed(file, changes)).toMatchObject({
        code: 'invalid_argument',
        details: { fields: [{ field }] },
      });
  });

  test('is asked for where both met later: then there is no public URL and no schedule', () => {
    const open = { ...BASE, public: true, schedule: '0 5 * * *' };
    const endpoint = effectiveEndpoint(open, FOUR_EYES);
    expect([endpoint?.public, endpoint?.schedule, endpoint?.allowSelf]).toEqual([false, undefined, false]);
  });
});
