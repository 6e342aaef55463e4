import type { ResultOf } from '@svc/core/api/contract/answer';
import type { RouteRow as Route } from '@svc/core/api/routes';
import { withShownAddresses } from '@svc/core/text/shown-address';
import { visibleText } from '@svc/core/text/visible-text';
import type { FactRow } from '../terminal.ts';

export type ShownApproval = ResultOf<Route<'showApproval'>>;

/** The facts of an approval; invisible characters in text from others are made visible. */
export function approvalRows(approval: ShownApproval): FactRow[] {
  const { values, endpoint, agent_name: agent, requested_by: by, created_at: at } = approval;
  return [
    { label: 'approval', text: approval.approval_id },
    { label: 'runs', text: approval.command ?? 'no longer available' },
    ...values.map(({ name, value, secret }) => ({
      label: `  ${name}`,
      text: value === null ? (secret ? '(secret)' : '(not set)') : visibleText(value),
    })),
    ...(approval.files ?? []).map(({ argument, name, bytes, type, sha256 }) => ({
      label: `  ${argument}`,
      text: `${name === undefined ? '' : `${visibleText(name)}, `}${bytes} bytes, ${type}, SHA-256 ${sha256}`,
    })),
    { label: 'endpoint', text: endpoint },
    { label: 'on agent', text: visibleText(agent) },
    { label: 'requested by', text: `${visibleText(withShownAddresses(by))}, ${at}` },
    { label: 'status', text: statusText(approval) },
  ];
}

/** The status in a few words. */
export function statusText(approval: ShownApproval): string {
  const { status, reason, decided_by: by, decided_at: at, comment } = approval;
  if (status === 'pending_approval') return `pending, ${leftText(approval.expires_in_s)} left`;
  const said = comment === null ? '' : `: ${visibleText(comment)}`;
  const why = reason === undefined || reason === 'timed_out' ? '' : ` (${reason})`;
  return `${status}${why} by ${visibleText(withShownAddresses(by ?? 'nobody'))}, ${at ?? approval.expires_at}${said}`;
}

function leftText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
}
