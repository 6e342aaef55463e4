export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The permissions of each role in a workspace: the table of reference 5, row by row, and the audit log (decision 48, the audit
 * log).
 */
export const PERMISSIONS = {
  'endpoint.view': ['owner', 'admin', 'member', 'viewer'],
  'endpoint.execute': ['owner', 'admin', 'member'],
  'endpoint.edit': ['owner', 'admin'],
  'pipeline.view': ['owner', 'admin', 'member', 'viewer'],
  'pipeline.edit': ['owner', 'admin'],
  'api_key.manage': ['owner', 'admin'],
  'api_key.manage_own': ['owner', 'admin', 'member'],
  'service_account.manage': ['owner', 'admin'],
  'secret.manage': ['owner', 'admin'],
  'agent.manage': ['owner', 'admin'],
  'member.invite': ['owner', 'admin'],
  'member.remove': ['owner', 'admin'],
  'member.change_role': ['owner', 'admin'],
  'second_factor.demand': ['owner', 'admin'],
  'billing.manage': ['owner'],
  'workspace.delete': ['owner'],
  'audit.view': ['owner', 'admin'],
} as const satisfies Record<string, readonly Role[]>;
export type Permission = keyof typeof PERMISSIONS;

export function may(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role);
}

/**
 * The permissions that a service account can have; its role says which of them it has (decision 81, service accounts). With the
 * others it could make credentials that outlive it, give people rights, or decide in the place of a person.
 */
export const SERVICE_ACCOUNT_PERMISSIONS = [
  'endpoint.view',
  'endpoint.edit',
  'pipeline.view',
  'pipeline.edit',
  'audit.view',
] as const satisfies readonly Permission[];
export type ServiceAccountPermission = (typeof SERVICE_ACCOUNT_PERMISSIONS)[number];
