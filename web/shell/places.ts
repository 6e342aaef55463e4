import type { Permission } from '@svc/core/workspace/permissions';

/** A page that the rail leads to; it shows once `routes.tsx` has it. */
export interface Place {
  readonly to: string;
  readonly label: string;
  /** After `g`. */
  readonly key: string;
  /** Without it the page holds nothing for the person. */
  readonly permission?: Permission;
  /** Of the hub, whatever the workspace is. */
  readonly isForOperators?: true;
}

/** What happens, and what may be called. */
export const WORK: readonly Place[] = [
  { to: '/', label: 'Now', key: 'n' },
  { to: '/endpoints', label: 'Endpoints', key: 'e' },
  { to: '/executions', label: 'Executions', key: 'x' },
  { to: '/pipelines', label: 'Pipelines', key: 'p' },
  { to: '/approvals', label: 'Approvals', key: 'a' },
  { to: '/schedules', label: 'Schedules', key: 's' },
];

/** What it takes. */
export const MEANS: readonly Place[] = [
  { to: '/agents', label: 'Agents', key: 'm' },
  { to: '/secrets', label: 'Secrets', key: 'c', permission: 'secret.manage' },
  { to: '/api-keys', label: 'API keys', key: 'k' },
  { to: '/alerts', label: 'Alerts', key: 'l', permission: 'endpoint.edit' },
  { to: '/templates', label: 'Templates', key: 't' },
];

/** Who, and on which terms. */
export const HOUSE: readonly Place[] = [
  { to: '/team', label: 'Team', key: 'w' },
  { to: '/usage', label: 'Usage', key: 'u' },
  { to: '/audit', label: 'Audit log', key: 'o', permission: 'audit.view' },
  { to: '/outbox', label: 'Outbox', key: 'b', isForOperators: true },
  { to: '/settings', label: 'Settings', key: 'i' },
];

export const PLACES = [...WORK, ...MEANS, ...HOUSE];
