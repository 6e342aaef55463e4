import type { Approval } from '@svc/core/approval/approval';
import { sql } from 'kysely';
import { cursorAfter, idOfCursor } from '../../platform/db/cursor.ts';
import type { Database } from '../../platform/db/database.ts';
import { boundedScan } from '../../platform/db/reading/bounded-scan.ts';
import { type Condition, equal, walkOf } from '../../platform/db/reading/walk.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { Page } from '../../platform/page-of-items.ts';
import type { ApprovalFilter } from '../approval-ports.ts';
import { IS_PENDING } from './queries.ts';
import { APPROVAL_COLUMNS, approvalOf } from './row.ts';

/** The newest first. Only approvals of a workspace, and those of all that are pending, have an index. */
export async function approvalPage(
  { build, reader }: Pick<Database, 'build' | 'reader'>,
  filter: ApprovalFilter,
): Promise<Page<Approval>> {
  const { cursor, limit } = filter;
  const before = cursor === undefined ? undefined : idOfCursor(cursor);
  const walk = walkOf<string>({ build }, { table: 'approvals', key: 'id', ...conditionsOf(filter) });
  const { keys, next, isPartial } = await boundedScan(reader, [[walk]], { before, limit });
  const query = build.selectFrom('approvals').select(APPROVAL_COLUMNS).where('id', 'in', keys);
  const rows = keys.length === 0 ? [] : await reader.rows(once(query.orderBy('id', 'desc')));
  return { items: rows.map(approvalOf), nextCursor: next && cursorAfter(next), isPartial };
}

function conditionsOf({ workspaceId, states, slug }: ApprovalFilter): {
  along: Condition[];
  matching: Condition[];
} {
  const isPendingOnly = states?.length === 1 && states[0] === 'pending';
  const matching = [
    ...equal('t.slug', slug),
    ...(states === undefined ? [] : [sql<boolean>`t.state in (${sql.join([...states])})`]),
  ];
  if (!isPendingOnly) return { along: equal('workspace_id', workspaceId), matching };
  // NOTE: The index of pending approvals begins with their expiry, and the workspace is hidden from SQLite: by the index of
  // workspaces it would walk through all that were ever decided.
  const ofWorkspace = sql<boolean>`workspace_id || '' = ${workspaceId}`;
  return { along: [IS_PENDING, sql<boolean>`expires_at_ms > 0`, ofWorkspace], matching };
}
