import type { Permission } from '@svc/core/workspace/permissions';

/** An item of the navigation; shown if `routes.tsx` has its page. */
export interface NavItem {
  readonly to: string;
  readonly label: string;
  /** The shortcut after `g`. */
  readonly key: string;
  /** Required to see the page in the navigation. */
  readonly permission?: Permission;
  /** The page concerns the hub, not the workspace. */
  readonly isForOperators?: true;
}

/** Endpoints and their executions. */
export const WORK_ITEMS: readonly NavItem[] = [
  { to: '/', label: 'Now', key: 'n' },
  { to: '/endpoints', label: 'Endpoints', key: 'e' },
  { to: '/executions', label: 'Executions', key: 'x' },
  { to: '/pipelines', label: 'Pipelines', key: 'p' },
  { to: '/approvals', label: 'Approvals', key: 'a' },
  { to: '/schedules', label: 'Schedules', key: 's' },
];

/** Agents, credentials and alerts. */
export const RESOURCE_ITEMS: readonly NavItem[] = [
  { to: '/agents', label: 'Agents', key: 'm' },
  { to: '/secrets', label: 'Secrets', key: 'c', permission: 'secret.manage' },
  { to: '/api-keys', label: 'API keys', key: 'k' },
  { to: '/alerts', label: 'Alerts', key: 'l', permission: 'endpoint.edit' },
  { to: '/templates', label: 'Templates', key: 't' },
];

/** Team, plan and settings. */
export const WORKSPACE_ITEMS: readonly NavItem[] = [
  { to: '/team', label: 'Team', key: 'w' },
  { to: '/usage', label: 'Usage', key: 'u' },
  { to: '/audit', label: 'Audit log', key: 'o', permission: 'audit.view' },
  { to: '/outbox', label: 'Outbox', key: 'b', isForOperators: true },
  { to: '/settings', label: 'Settings', key: 'i' },
];

export const NAV_ITEMS = [...WORK_ITEMS, ...RESOURCE_ITEMS, ...WORKSPACE_ITEMS];
