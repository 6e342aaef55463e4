import type { ResultOf } from '@svc/core/api/contract/answer';
import type { RouteRow as Route, RouteQuery } from '@svc/core/api/routes';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import { writeRows } from '../terminal.ts';
import { statusText } from './approval-rows.ts';
import type { ListOptions } from './decide.ts';

type Listed = ResultOf<Route<'listApprovals'>>['items'];

/** `svc approvals list`: one line per approval, with its command. */
export async function listApprovals({ status, endpoint, json, ...where }: ListOptions): Promise<void> {
  const service = findServiceOfMember(where, process.env);
  // The service checks the status.
  const query = { status: status as RouteQuery<'listApprovals'>['status'], limit: 100, endpoint };
  const { items } = await orFail(apiOf(service).listApprovals({ query }));
  if (json) for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`);
  else print(items, status);
}

function print(items: Listed, status: string): void {
  if (items.length === 0) {
    process.stderr.write(status === 'pending_approval' ? 'no pending approvals\n' : 'no approvals\n');
    return;
  }
  const rows = items.map((item) => ({
    label: item.approval_id,
    text: `${item.endpoint}  ${statusText(item)}\n  ${item.command ?? ''}`,
  }));
  writeRows(process.stdout, rows);
}
