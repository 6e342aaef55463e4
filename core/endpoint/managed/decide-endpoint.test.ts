import { describe, expect, test } from 'bun:test';
import type { WireDefinition } from '../../protocol/definition.ts';
import { Refusal } from '../../refusal.ts';
import {
  decideEndpointChange,
  decideEndpointRemoval,
  decideNewEndpoint,
  type ManagedEndpoint,
} from './decide-endpoint.ts';
import { effectiveEndpoint, FILE_FIELDS } from './overrides.ts';

function managed(source: ManagedEndpoint['source'], definition: WireDefinition, overrides = {}) {
  const endpoint = effectiveEndpoint(definition, overrides);
  if (endpoint === undefined) throw new Error('this cannot be read');
  return { source, registeredBy: 'build', version: 3, endpoint, definition, overrides };
}

function refusalOf(decide: () => unknown): [string, unknown] {
  try {
    return ['allowed', decide()];
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.details];
    throw error;
  }
}

const FILE = managed('config', { name: 'a', command: 'true', timeout: 9 });
const API = managed('api', { name: 'a', command: 'true', timeout: 9 });

describe('a new endpoint', () => {
  test('is stored as svc.yaml would have it: defaults left out', () => {
    const { definition } = decideNewEndpoint({ name: 'a', command: 'true', timeout: 60, args: [] });
    expect(definition).toEqual({ name: 'a', command: 'true' });
  });

  test('is refused with the place in its command', () => {
    const [code, details] = refusalOf(() =>
      decideNewEndpoint({ name: 'a', command: 'eval {{x}}', args: [{ name: 'x' }] }),
    );
    expect([code, details]).toMatchObject([
      'invalid_argument',
      { fields: [{ field: 'command', offset: 5 }] },
    ]);
  });
});

describe('a change', () => {
  test.each(FILE_FIELDS)('of %s is refused for one of a file, even to take it away', (field) => {
    for (const value of ['x', null]) {
      const [code] = refusalOf(() => decideEndpointChange(FILE, { [field]: value }, {}));
      expect(code).toBe('managed_by_config');
    }
  });

  test('of anything else overrides the file, until null takes it back', () => {
    const once = decideEndpointChange(FILE, { timeout: 3, method: 'POST' }, {});
    expect([once.overrides, once.definition]).toEqual([{ timeout: 3, method: 'POST' }, FILE.definition]);
    const twice = decideEndpointChange({ ...FILE, ...once }, { timeout: null }, {});
    expect([twice.overrides, twice.endpoint.timeoutSec]).toEqual([{ method: 'POST' }, 9]);
  });

  test('leaves unmentioned fields unchanged', () => {
    const changes = { name: undefined, timeout: undefined, description: 'x' };
    expect(decideEndpointChange(API, changes, {}).definition).toEqual({
      ...API.definition,
      description: 'x',
    });
  });

  test('is for the version that it names, or refused', () => {
    const decide = (expected: object) =>
      refusalOf(() => decideEndpointChange(API, { timeout: 1 }, expected))[0];
    expect([decide({ version: 3 }), decide({ ifMatch: 3 })]).toEqual(['allowed', 'allowed']);
    expect([decide({ version: 2 }), decide({ ifMatch: 4 })]).toEqual([
      'version_conflict',
      'precondition_failed',
    ]);
  });
});

test('one of a file is not deleted here, one of the API is', () => {
  expect(refusalOf(() => decideEndpointRemoval(FILE, {}))[0]).toBe('managed_by_config');
  expect(refusalOf(() => decideEndpointRemoval(API, {}))[0]).toBe('allowed');
});

test('only a schedule that no longer fits is passed over; what restricts stays', () => {
  const definition = {
    name: 'a',
    command: 'echo {{x}}',
    args: [{ name: 'x', required: true }],
    public: true,
  };
  const overrides = { schedule: '0 5 * * *', public: false, approval_required: true };
  expect(effectiveEndpoint(definition, overrides)).toMatchObject({ public: false, approvalRequired: true });
  expect(effectiveEndpoint(definition, overrides)?.schedule).toBeUndefined();
  expect(effectiveEndpoint({ name: 'a', command: 'eval {{x}}', args: [{ name: 'x' }] }, {})).toBeUndefined();
});
