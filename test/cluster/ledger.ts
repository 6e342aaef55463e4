import pg from 'pg';
import { openSharedFile } from '../hub-file.ts';

/** The records of a hub: the database itself, whichever hubs run on it. */
export type LedgerLocation = { readonly databaseUrl: string } | { readonly file: string };

/** Reads records as they are stored. */
export interface Ledger extends AsyncDisposable {
  /** SQLite has a second one since migration 0019. */
  readonly outputTables: readonly string[];
  rows<Row>(sql: string): Promise<Row[]>;
}

const INT8 = 20;

export async function openLedger(location: LedgerLocation): Promise<Ledger> {
  return 'file' in location ? sqliteLedger(location.file) : await postgresLedger(location.databaseUrl);
}

function sqliteLedger(file: string): Ledger {
  const database = openSharedFile(file, { readonly: true });
  return {
    outputTables: ['output_chunks', 'execution_output'],
    rows: (sql) => Promise.resolve(database.query(sql).all() as never),
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

async function postgresLedger(connectionString: string): Promise<Ledger> {
  const client = new pg.Client({
    connectionString,
    // Times and counts: none is beyond what a number holds.
    types: {
      getTypeParser: (oid: number, format?: 'text') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // The server may be killed while no query runs.
  client.on('error', () => undefined);
  await client.connect();
  return {
    outputTables: ['output_chunks'],
    rows: async (sql) => (await client.query(sql)).rows as never,
    [Symbol.asyncDispose]: () => client.end(),
  };
}
