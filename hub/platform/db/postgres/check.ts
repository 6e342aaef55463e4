import type pg from 'pg';
import { isDamage } from '../damage.ts';
import type { CheckDepth } from '../database.ts';
import { reasonOf, unavailable } from '../unavailable.ts';
import { createPool } from './pool.ts';

interface Relation {
  readonly name: string;
  readonly oid: number;
  readonly kind: 'table' | 'index';
}

/** The functions of `amcheck`, where the operator has installed it and the role may call it. */
interface Amcheck {
  readonly indexes: string | undefined;
  readonly tables: string | undefined;
}

const RELATIONS = `
  select c.oid::int8 as oid, quote_ident(c.relname) as name, case c.relkind when 'r' then 'table' else 'index' end as kind
  from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_am a on a.oid = c.relam
  where c.relnamespace = current_schema()::regnamespace
    and (c.relkind = 'r' or (c.relkind = 'i' and a.amname = 'btree' and i.indisvalid))
  order by 3 desc, 2`;
const AMCHECK = `
  select n.nspname, p.proname, has_function_privilege(p.oid, 'execute') and has_schema_privilege(n.oid, 'usage') as may
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.proname in ('bt_index_check', 'verify_heapam')`;

/**
 * Checks a database for damage; returns one sentence for each problem, none for a sound database.
 *
 * Every row is read completely, so that checksums of pages are verified where the cluster has them. Indexes are checked with
 * `amcheck` where it is installed; `full` also looks for every row in every index.
 */
export async function checkPostgres(url: string, depth: CheckDepth): Promise<readonly string[]> {
  const pool = createPool(url, { max: 1, query_timeout: 0 });
  try {
    const amcheck = await amcheckOf(pool);
    const { rows } = await pool.query<Relation>(RELATIONS);
    const findings: string[] = [];
    for (const relation of rows) findings.push(...(await checkRelation(pool, relation, amcheck, depth)));
    return findings;
  } catch (error) {
    throw unavailable('read', error);
  } finally {
    await pool.end();
  }
}

async function amcheckOf(pool: pg.Pool): Promise<Amcheck> {
  const { rows } = await pool.query<{ nspname: string; proname: string; may: boolean }>(AMCHECK);
  const nameOf = (name: string) => {
    const found = rows.find(({ proname, may }) => proname === name && may);
    return found && `"${found.nspname}".${name}`;
  };
  return { indexes: nameOf('bt_index_check'), tables: nameOf('verify_heapam') };
}

async function checkRelation(
  pool: pg.Pool,
  { name, oid, kind }: Relation,
  amcheck: Amcheck,
  depth: CheckDepth,
): Promise<string[]> {
  if (kind === 'index') {
    if (amcheck.indexes === undefined) return [];
    const args = depth === 'full' ? '$1::oid::regclass, true' : '$1::oid::regclass';
    return await findings(`index ${name}`, () => pool.query(`select ${amcheck.indexes}(${args})`, [oid]));
  }
  // Cast to text, so that values stored apart from their row are read too.
  const read = await findings(`table ${name}`, () =>
    pool.query(`select sum(length(t.*::text)) from ${name} t`),
  );
  const { tables } = amcheck;
  if (depth === 'quick' || tables === undefined || read.length > 0) return read;
  const verify = `select blkno, msg from ${tables}($1::oid::regclass) limit 100`;
  const { rows } = await pool.query<{ blkno: number; msg: string }>(verify, [oid]);
  return rows.map(({ blkno, msg }) => `table ${name}: block ${blkno}: ${msg}`);
}

/** The damage that `amcheck` and the server report. Other errors are no damage. */
async function findings(what: string, look: () => Promise<unknown>): Promise<string[]> {
  try {
    await look();
    return [];
  } catch (error) {
    if (isDamage(error)) return [`${what}: ${reasonOf(error)}`];
    throw error;
  }
}
