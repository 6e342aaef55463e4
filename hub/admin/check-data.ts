import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal, refuse } from '@svc/core/refusal';
import { verifyAudit } from '../audit/verify-audit.ts';
import type { Store } from '../build/create-store.ts';
import { openStore } from '../build/open-store.ts';
import type { HubConfig } from '../config.ts';
import { StoreDamaged } from '../platform/db/damage.ts';
import type { CheckDepth } from '../platform/db/database.ts';
import { checkPostgres } from '../platform/db/postgres/check.ts';
import { checkSqlite } from '../platform/db/sqlite/check.ts';

/** One checked part of the data; without findings it is intact. */
export interface CheckedPart {
  readonly part: 'database' | 'audit logs';
  readonly findings: readonly string[];
}

/**
 * Checks the data of the hub with this configuration for damage, also while the hub runs. It only reads
 * the database, so it can check a store that cannot be opened for writing.
 */
export async function* checkData(config: HubConfig, depth: CheckDepth): AsyncGenerator<CheckedPart> {
  yield { part: 'database', findings: await checkDatabase(config, depth) };
  yield { part: 'audit logs', findings: await checkAuditLogs(config) };
}

async function checkDatabase(
  { databaseUrl, dataDir }: HubConfig,
  depth: CheckDepth,
): Promise<readonly string[]> {
  if (databaseUrl !== undefined) return await checkPostgres(databaseUrl, depth);
  const file = join(dataDir, 'svc.db');
  if (!existsSync(file))
    throw refuse('not_found', `no hub has kept its data in ${dataDir}: set SVC_DATA_DIR as for svc hub`);
  return await checkSqlite({ file, depth });
}

async function checkAuditLogs(config: HubConfig): Promise<readonly string[]> {
  try {
    await using store = await openStore(config);
    return await brokenLogs(store);
  } catch (error) {
    if (error instanceof StoreDamaged) return [`they cannot be read: ${error.message}`];
    // A damaged entry may be unreadable.
    if (error instanceof Refusal || !(error instanceof SyntaxError)) throw error;
    return [`an entry cannot be read: ${error.message}`];
  }
}

async function brokenLogs({ audit }: Pick<Store, 'audit'>): Promise<string[]> {
  const findings: string[] = [];
  for await (const { workspaceId, broken } of verifyAudit(audit))
    if (broken !== undefined)
      findings.push(`workspace ${workspaceId}: entry ${broken.seq}: ${broken.problem}`);
  return findings;
}
