import type { AlertEvent } from '@svc/core/alert/event';
import type { AlertEventRow } from './table.ts';

export const EVENT_COLUMNS = [
  'id',
  'workspace_id',
  'name',
  'at_ms',
  'slug',
  'agent_name',
  'data',
  'sealed_link',
  'callback_url',
] as const;

export function eventRow(event: AlertEvent): AlertEventRow {
  return {
    id: event.id,
    workspace_id: event.workspaceId,
    name: event.name,
    at_ms: event.atMs,
    slug: event.slug ?? null,
    agent_name: event.agentName ?? null,
    data: JSON.stringify(event.data),
    sealed_link: event.sealedLink ?? null,
    callback_url: event.callbackUrl ?? null,
  };
}

export function eventOfRow(row: AlertEventRow): AlertEvent {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    atMs: row.at_ms,
    slug: row.slug ?? undefined,
    agentName: row.agent_name ?? undefined,
    data: JSON.parse(row.data) as AlertEvent['data'],
    sealedLink: row.sealed_link ?? undefined,
    callbackUrl: row.callback_url ?? undefined,
  };
}
