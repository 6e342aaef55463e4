import { join } from 'node:path';
import { refuse } from '@svc/core/refusal';
import { type VerifiedLog, verifyAudit } from '../audit/verify-audit.ts';
import type { Store } from '../build/create-store.ts';
import { keyFileIn } from '../build/master-key.ts';
import { openStore } from '../build/open-store.ts';
import { claimHubId } from '../cluster/claim-hub-id.ts';
import type { HubConfig } from '../config.ts';
import { copyTables, emptyTables, type RowCounts } from '../platform/db/copy-tables.ts';

/** The numbers of copied and verified rows. */
export interface CopiedData {
  readonly tables: number;
  readonly rows: number;
  readonly auditLogs: number;
  readonly auditEntries: number;
  /** The file whose first line is the master key of the copy; undefined: SVC_MASTER_KEY has the key. */
  readonly keyFile: string | undefined;
}

/**
 * Copies the data of a SQLite hub to an empty PostgreSQL database, and verifies row counts and audit logs there. The hub must
 * not run: the copy locks its folder. Throws `ConfigError` if it runs, and refuses with `invalid_argument` or `unavailable`.
 * After a failed check the database is empty again.
 */
export async function copyToPostgres(config: HubConfig, url: string): Promise<CopiedData> {
  if (config.databaseUrl !== undefined)
    throw refuse('invalid_argument', 'DATABASE_URL is set: this hub is on PostgreSQL already');
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw refuse('invalid_argument', 'the target must be a postgres:// URL');
  const { release } = claimHubId(config, 'svc admin copy');
  try {
    const before = await sourceLogs(config);
    await using target = await openStore({ ...config, databaseUrl: url });
    const counts = await copyTables(join(config.dataDir, 'svc.db'), url);
    await verifyCopy(target, before, async () => await emptyTables(url, counts));
    return {
      tables: counts.size,
      rows: totalOf(counts),
      auditLogs: before.length,
      auditEntries: before.reduce((sum, { entries }) => sum + entries, 0),
      keyFile: config.masterKey === undefined ? keyFileIn(config.dataDir) : undefined,
    };
  } finally {
    release();
  }
}

/** Verifies the audit logs of the source, and adds noted ends to its statistics, which PostgreSQL has no table for. */
async function sourceLogs(config: HubConfig): Promise<VerifiedLog[]> {
  await using source = await openStore(config);
  await source.foldCounts();
  const logs = await Array.fromAsync(verifyAudit(source.audit));
  const broken = logs.find((log) => log.broken !== undefined);
  if (broken === undefined) return logs;
  throw refuse(
    'invalid_argument',
    `the audit log of workspace ${broken.workspaceId} is broken: see svc admin verify-audit`,
  );
}

/** Compares the audit logs with those of the source; empties the copy and throws if one differs. */
async function verifyCopy(
  { audit }: Store,
  before: readonly VerifiedLog[],
  empty: () => Promise<void>,
): Promise<void> {
  const after = await Array.fromAsync(verifyAudit(audit));
  if (Bun.deepEquals(after, before)) return;
  await empty();
  throw new Error('the audit logs in PostgreSQL differ from those in SQLite; the copy was removed');
}

function totalOf(counts: RowCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
