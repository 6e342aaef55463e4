import type { Database } from 'bun:sqlite';
import type { CheckDepth } from '../open-database.ts';

/** Who reads them needs no more; SQLite stops there. */
const MOST_FINDINGS = 100;

/** The damage of a file, a sentence each; none: it is sound. Throws where SQLite itself gives up: that is damage too (`isDamage`). */
export function checkFile(database: Database, depth: CheckDepth): readonly string[] {
  const pragma = depth === 'full' ? 'integrity_check' : 'quick_check';
  const rows = database.prepare<Record<string, string>, []>(`PRAGMA ${pragma}(${MOST_FINDINGS})`).all();
  const lines = rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  const findings = lines.map((line) => line.replaceAll('\n', ' '));
  return depth === 'full' ? [...findings, ...foreignKeys(database)] : findings;
}

function foreignKeys(database: Database): string[] {
  const query = 'PRAGMA foreign_key_check';
  const rows = database.prepare<{ table: string; parent: string }, []>(query).all();
  return rows
    .slice(0, MOST_FINDINGS)
    .map(({ table, parent }) => `table ${table}: a row without its ${parent}`);
}
