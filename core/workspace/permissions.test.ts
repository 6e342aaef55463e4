import { expect, test } from 'bun:test';
import { may, PERMISSIONS, type Permission } from './permissions.ts';

test('the table of reference 5, row for row, and the audit log', () => {
  const rows = (Object.keys(PERMISSIONS) as Permission[]).map((permission) => [
    permission,
    (['owner', 'admin', 'member'] as const).map((role) => may(role, permission)),
  ]);
  expect(Object.fromEntries(rows)).toEqual({
    'endpoint.view': [true, true, true],
    'endpoint.execute': [true, true, true],
    'endpoint.edit': [true, true, false],
    'pipeline.view': [true, true, true],
    'pipeline.edit': [true, true, false],
    'api_key.manage': [true, true, false],
    'api_key.manage_own': [true, true, true],
    'secret.manage': [true, true, false],
    'agent.manage': [true, true, false],
    'member.invite': [true, true, false],
    'member.remove': [true, true, false],
    'member.change_role': [true, true, false],
    'billing.manage': [true, false, false],
    'workspace.delete': [true, false, false],
    'audit.view': [true, true, false],
  });
});
