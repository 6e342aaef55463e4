import { Database } from 'bun:sqlite';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { openHubFile } from './hub-file.ts';

/** The damage that a disk, a cable or a careless program does to a SQLite file while a hub has it open. */
const PAGE_BYTES = 4096;

/** Everything is in the file, and nothing in its log: what is damaged then is what is read. */
export function tidyLog(dataDir: string): void {
  using database = openHubFile(dataDir);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** The page with which a table or an index begins, counted from 1. */
export function rootPage(dataDir: string, name: string): number {
  using database = openHubFile(dataDir, { readonly: true });
  const row = database
    .query<{ rootpage: number }, [string]>('select rootpage from sqlite_schema where name = ?')
    .get(name);
  if (row === null) throw new Error(`no table or index "${name}"`);
  return row.rootpage;
}

export function indexesOf(dataDir: string, table: string): string[] {
  using database = openHubFile(dataDir, { readonly: true });
  const query = `select name from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null`;
  return database
    .query<{ name: string }, [string]>(query)
    .all(table)
    .map(({ name }) => name);
}

/** Other bytes in the place of a whole page. */
export function overwritePage(dataDir: string, page: number): void {
  const file = openSync(join(dataDir, 'svc.db'), 'r+');
  writeSync(file, new Uint8Array(PAGE_BYTES).fill(0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  closeSync(file);
}

/** Another text of the same length in the place of its first occurrence. */
export function overwriteText(dataDir: string, text: string, by: string): void {
  const path = join(dataDir, 'svc.db');
  const at = readFileSync(path).indexOf(text);
  if (at < 0) throw new Error(`the file does not contain "${text}"`);
  const file = openSync(path, 'r+');
  writeSync(file, by, at);
  closeSync(file);
}

/** The cell that was written first, which stands at the end of its page. */
export function flipLastByte(dataDir: string, page: number): void {
  const file = openSync(join(dataDir, 'svc.db'), 'r+');
  const byte = new Uint8Array(1);
  const at = page * PAGE_BYTES - 1;
  readSync(file, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 1;
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
}

/** This many bits, anywhere, chosen by `random`, from 0 up to 1. */
export function flipBits(dataDir: string, count: number, random: () => number): void {
  const path = join(dataDir, 'svc.db');
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  const byte = new Uint8Array(1);
  for (let n = 0; n < count; n += 1) {
    const at = Math.floor(random() * size);
    readSync(file, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeSync(file, byte, 0, 1, at);
  }
  closeSync(file);
}

/**
 * The problems that SQLite itself finds in the file from outside; none: it is sound. `quick` does not compare an index with its
 * table; `full` does.
 */
export function findingsIn(dataDir: string, depth: 'quick' | 'full'): string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
  try {
    using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
    const rows = database.query<Record<string, string>, []>(`PRAGMA ${pragma}`).all();
    return rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  } catch (error) {
    return [String(error)];
  }
}

/** Another file in the place of the hub's, which is stopped. */
export function replaceFile(dataDir: string, by: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `svc.db${suffix}`), { force: true });
  copyFileSync(by, join(dataDir, 'svc.db'));
}
