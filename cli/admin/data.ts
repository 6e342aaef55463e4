import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Refusal } from '@svc/core/refusal';
import { checkData } from '@svc/hub/admin/check-data';
import { copyToPostgres } from '@svc/hub/admin/copy-to-postgres';
import { EXIT, Failure } from '../failure.ts';
import { dataFailure, hubConfig } from '../hub/start.ts';
import { plural } from '../plural.ts';
import { readGiven, readHidden } from '../resource/input.ts';
import { withAdmin } from './open.ts';
import type { AdminOptions, CheckOptions, CopyOptions } from './options.ts';
import { printable, printResult } from './print.ts';

/** `svc admin backup`. */
export async function backup(file: string, options: AdminOptions): Promise<void> {
  const path = resolve(file);
  await withAdmin((admin) => admin.backup(path));
  const { size } = statSync(path);
  printResult(options, { file: path, bytes: size }, [{ label: 'copied', text: `${path}, ${size} bytes` }]);
}

/** `svc admin check`: one line per part of the data and per finding; fails on damage. */
export async function check(options: CheckOptions): Promise<void> {
  const config = hubConfig({});
  const depth = options.full ? 'full' : 'quick';
  let count = 0;
  try {
    for await (const { part, findings } of checkData(config, depth)) {
      const texts = findings.length === 0 ? ['ok'] : findings.map((one) => `DAMAGED: ${printable(one)}`);
      const line = { part, depth, ok: findings.length === 0, findings };
      printResult(
        options,
        line,
        texts.map((text) => ({ label: part, text })),
      );
      count += findings.length;
    }
  } catch (error) {
    throw (
      dataFailure(config, error) ?? (error instanceof Refusal ? new Failure(error.message) : (error as Error))
    );
  }
  if (count === 0) return;
  throw new Failure(`the data is damaged: ${plural(count, 'finding')}`, {
    tip: 'see docs/operate/operating.md, "The store is damaged"',
    exitCode: EXIT.failed,
  });
}

/** `svc admin copy`: moves the data of a SQLite hub to PostgreSQL. */
export async function copy(options: CopyOptions): Promise<void> {
  const config = hubConfig({});
  if (!existsSync(join(config.dataDir, 'svc.db')))
    throw new Failure(`no hub has kept its data in ${config.dataDir}: set SVC_DATA_DIR as for svc hub`);
  const url = targetOf(options.to);
  try {
    const copied = await copyToPostgres(config, url);
    const { tables, rows, auditLogs, auditEntries, keyFile } = copied;
    const line = {
      tables,
      rows,
      audit_logs: auditLogs,
      audit_entries: auditEntries,
      key_file: keyFile ?? null,
    };
    const key = keyFile === undefined ? 'the same SVC_MASTER_KEY' : `SVC_MASTER_KEY=$(head -n 1 ${keyFile})`;
    printResult(options, line, [
      { label: 'copied', text: `${plural(rows, 'row')} of ${plural(tables, 'table')}; the counts are equal` },
      {
        label: 'verified',
        text: `${plural(auditLogs, 'audit log')}, ${plural(auditEntries, 'entry', 'entries')}, intact`,
      },
      { label: 'next', text: `${key} DATABASE_URL=postgres://… svc hub` },
    ]);
  } catch (error) {
    throw (
      dataFailure(config, error) ?? (error instanceof Refusal ? new Failure(error.message) : (error as Error))
    );
  }
}

/** A URL with a password may not stand on the command line. */
function targetOf(given: string): string {
  const { password = '', searchParams } = URL.parse(given) ?? {};
  const hasPassword = password !== '' || searchParams?.has('password') === true;
  return (hasPassword ? readHidden('a URL with a password', given) : (readGiven(given) ?? given)).trim();
}
