import { describe, expect, test } from 'bun:test';
import { addressIn } from './sign-in-again.ts';

const ADDRESS = {
  pathname: '/dashboard/executions',
  search: '?status=failed',
  hash: '#L5',
};

describe('the address that the sign-in leads back to', () => {
  test('names the selected workspace, which another tab does not know', () => {
    expect(addressIn('acme', ADDRESS)).toBe('/dashboard/executions?status=failed&workspace=acme#L5');
    expect(addressIn('acme', { ...ADDRESS, search: '' })).toBe('/dashboard/executions?workspace=acme#L5');
  });

  test('stays as it is in the own workspace', () => {
    expect(addressIn(undefined, ADDRESS)).toBe('/dashboard/executions?status=failed#L5');
  });
});
