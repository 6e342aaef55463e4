import { expect, test } from 'bun:test';
import { may, PERMISSIONS, type Permission, ROLES, SERVICE_ACCOUNT_PERMISSIONS } from './permissions.ts';

test('the table of reference 5, row for row, and the audit log', () => {
  const rows = (Object.keys(PERMISSIONS) as Permission[]).map((permission) => [
    permission,
    ROLES.map((role) => may(role, permission)),
  ]);
  expect(ROLES).toEqual(['owner', 'admin', 'member', 'viewer']);
  expect(Object.fromEntries(rows)).toEqual({
    'endpoint.view': [true, true, true, true],
    'endpoint.execute': [true, true, true, false],
    'endpoint.edit': [true, true, false, false],
    'pipeline.view': [true, true, true, true],
    'pipeline.edit': [true, true, false, false],
    'api_key.manage': [true, true, false, false],
    'api_key.manage_own': [true, true, true, false],
    'service_account.manage': [true, true, false, false],
    'secret.manage': [true, true, false, false],
    'agent.manage': [true, true, false, false],
    'member.invite': [true, true, false, false],
    'member.remove': [true, true, false, false],
    'member.change_role': [true, true, false, false],
    'second_factor.demand': [true, true, false, false],
    'billing.manage': [true, false, false, false],
    'workspace.delete': [true, false, false, false],
    'audit.view': [true, true, false, false],
  });
});

test('a service account has no permission to make credentials, to change people, or to act as one', () => {
  expect([...SERVICE_ACCOUNT_PERMISSIONS].sort()).toEqual([
    'audit.view',
    'endpoint.edit',
    'endpoint.view',
    'pipeline.edit',
    'pipeline.view',
  ]);
});
