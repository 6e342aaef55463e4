import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
/** A reachable server answers within this time; a vanished one does not answer at all. */
const ANSWER_TIMEOUT_MS = 20_000;
/** Shorter than the timeout of the client, so that the server ends a wait for a lock first. */
const LOCK_TIMEOUT_MS = 10_000;
/** The server releases the locks of a hub that hangs in a transaction after this time. */
const IDLE_IN_TRANSACTION_MS = 30_000;

type PoolOptions = Pick<pg.PoolConfig, 'max' | 'query_timeout' | 'statement_timeout'>;

export function createPool(url: string, more: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'svc',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
    ...more,
  });
  // NOTE: Without these listeners the loss of a connection, idle or in use, would end the process. The pool drops the connection,
  // and the failing statement reports the error.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function ignore(): void {}

/** Rows in the form that SQLite gives: numbers as numbers, and bytes as a plain byte array. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (format !== 'binary' && oid === pg.types.builtins.INT8) return Number;
  if (format !== 'binary' && oid === pg.types.builtins.BYTEA) return bytesOf;
  return pg.types.getTypeParser(oid, format as 'text');
}

/** PostgreSQL sends bytes as `\x00ff`. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.fromHex(text.slice(2));
}
