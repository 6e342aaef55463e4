import type { Admin } from '@svc/hub/admin/admin';
import { EXIT, Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { withAdmin } from './open.ts';
import type { VerifyAuditOptions } from './options.ts';
import { printResult } from './print.ts';

type VerifiedLog = ReturnType<Admin['verifyAudit']> extends AsyncIterable<infer Log> ? Log : never;

/** `svc admin verify-audit`: one line per log; fails when a log is broken. */
export async function verifyAudit(options: VerifyAuditOptions): Promise<void> {
  const broken = await withAdmin(async (admin) => {
    let count = 0;
    for await (const log of admin.verifyAudit(options.workspace)) {
      printResult(options, lineOf(log), [{ label: log.workspaceId, text: textOf(log) }]);
      if (log.broken !== undefined) count += 1;
    }
    return count;
  });
  if (broken === 0) return;
  throw new Failure(`${plural(broken, 'audit log')} broken`, { exitCode: EXIT.failed });
}

function lineOf({ workspaceId, entries, isClosed, broken }: VerifiedLog) {
  return { workspace_id: workspaceId, entries, deleted: isClosed, broken: broken ?? null };
}

function textOf({ entries, isClosed, broken }: VerifiedLog): string {
  if (broken !== undefined) return `BROKEN at entry ${broken.seq}: ${broken.problem}`;
  return `${plural(entries, 'entry', 'entries')}, intact${isClosed ? '; the workspace was deleted' : ''}`;
}
