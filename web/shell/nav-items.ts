import type { Permission } from '@svc/core/workspace/permissions';
import {
  Activity,
  Bell,
  CalendarClock,
  Gauge,
  History,
  type Icon,
  KeyRound,
  LayoutTemplate,
  Lock,
  Mail,
  ScrollText,
  Server,
  SettingsIcon,
  ShieldCheck,
  SquareTerminal,
  Users,
  Workflow,
} from '../design/icons.tsx';

/** An item of the navigation; shown if `routes.tsx` has its page. */
export interface NavItem {
  readonly to: string;
  readonly label: string;
  readonly icon: Icon;
  /** The shortcut after `g`. */
  readonly key: string;
  /** Required to see the page in the navigation. */
  readonly permission?: Permission;
  /** The page concerns the hub, not the workspace. */
  readonly isForOperators?: true;
}

/** Endpoints and their executions. */
export const WORK_ITEMS: readonly NavItem[] = [
  { to: '/', label: 'Now', icon: Activity, key: 'n' },
  { to: '/endpoints', label: 'Endpoints', icon: SquareTerminal, key: 'e' },
  { to: '/executions', label: 'Executions', icon: History, key: 'x' },
  { to: '/pipelines', label: 'Pipelines', icon: Workflow, key: 'p' },
  { to: '/approvals', label: 'Approvals', icon: ShieldCheck, key: 'a' },
  { to: '/schedules', label: 'Schedules', icon: CalendarClock, key: 's' },
];

/** Agents, credentials and alerts. */
export const RESOURCE_ITEMS: readonly NavItem[] = [
  { to: '/agents', label: 'Agents', icon: Server, key: 'm' },
  { to: '/secrets', label: 'Secrets', icon: Lock, key: 'c', permission: 'secret.manage' },
  { to: '/api-keys', label: 'API keys', icon: KeyRound, key: 'k' },
  { to: '/alerts', label: 'Alerts', icon: Bell, key: 'l', permission: 'endpoint.edit' },
  { to: '/templates', label: 'Templates', icon: LayoutTemplate, key: 't' },
];

/** Team, plan and settings. */
export const WORKSPACE_ITEMS: readonly NavItem[] = [
  { to: '/team', label: 'Team', icon: Users, key: 'w' },
  { to: '/usage', label: 'Usage', icon: Gauge, key: 'u' },
  { to: '/audit', label: 'Audit log', icon: ScrollText, key: 'o', permission: 'audit.view' },
  { to: '/outbox', label: 'Outbox', icon: Mail, key: 'b', isForOperators: true },
  { to: '/settings', label: 'Settings', icon: SettingsIcon, key: 'i' },
];

export const NAV_ITEMS = [...WORK_ITEMS, ...RESOURCE_ITEMS, ...WORKSPACE_ITEMS];
