import { describe, expect, test } from 'bun:test';
import { changedFields } from './changed-fields.ts';

const version = (definition: Record<string, unknown>, overrides: Record<string, unknown> = {}) => ({
  definition: { name: 'deploy', command: './deploy.sh', ...definition },
  overrides,
});

describe('the changes of a version', () => {
  test('is everything, of the first one', () => {
    expect(changedFields(undefined, version({}))).toEqual([
      { field: 'name', before: undefined, after: 'deploy' },
      { field: 'command', before: undefined, after: './deploy.sh' },
    ]);
  });

  test('is nothing between two that are equal', () => {
    expect(changedFields(version({ timeout: 5 }), version({ timeout: 5 }))).toEqual([]);
  });

  test('is found by the name of an argument, wherever it stands', () => {
    const before = version({ args: [{ name: 'b', default: '1' }] });
    const after = version({ args: [{ name: 'a' }, { name: 'b', default: '2', choices: ['1', '2'] }] });
    expect(changedFields(before, after)).toEqual([
      { field: 'args.a', before: undefined, after: 'declared' },
      { field: 'args.b.default', before: '1', after: '2' },
      { field: 'args.b.choices', before: undefined, after: '["1","2"]' },
    ]);
  });

  test('has overrides apart from what the file says', () => {
    expect(
      changedFields(version({ timeout: 5 }, { timeout: 9 }), version({ timeout: 5, env: { A: 'x' } })),
    ).toEqual([
      { field: 'env.A', before: undefined, after: 'x' },
      { field: 'override of timeout', before: '9', after: undefined },
    ]);
  });
});
