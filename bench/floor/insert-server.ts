/**
 * The minimum work of a server that stores a call: it checks an API key, inserts one row, and answers when the row is on the disk.
 * Rows of one turn of the event loop share a commit. The server prints its URL when it listens.
 *
 *   bun insert-server.ts DATABASE KEY
 */
import { Database } from 'bun:sqlite';

const [file = '', key = ''] = process.argv.slice(2);
const OUTPUT = 'hi\n';

const database = new Database(file, { create: true });
database.run('PRAGMA journal_mode = WAL');
database.run('PRAGMA synchronous = FULL');
database.run('CREATE TABLE keys (hash TEXT PRIMARY KEY, workspace TEXT NOT NULL) WITHOUT ROWID');
database.run(
  'CREATE TABLE executions (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, at INTEGER NOT NULL, output TEXT) WITHOUT ROWID',
);
database.run('INSERT INTO keys VALUES (?, ?)', [hashOf(key), Bun.randomUUIDv7()]);

const workspaceOf = database.query<{ workspace: string }, [string]>(
  'SELECT workspace FROM keys WHERE hash = ?',
);
const insert = database.query('INSERT INTO executions VALUES (?, ?, ?, ?)');

interface Waiting {
  readonly row: [string, string, number, string];
  readonly stored: () => void;
}

let waiting: Waiting[] = [];

function store(row: Waiting['row']): Promise<void> {
  return new Promise((stored) => {
    if (waiting.push({ row, stored }) === 1) setImmediate(commit);
  });
}

function commit(): void {
  const group = waiting;
  waiting = [];
  database.run('BEGIN IMMEDIATE');
  for (const { row } of group) insert.run(...row);
  database.run('COMMIT');
  for (const { stored } of group) stored();
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch({ headers }) {
    const found = workspaceOf.get(hashOf(headers.get('x-api-key') ?? ''));
    if (found === null) return new Response('unknown key\n', { status: 401 });
    const id = Bun.randomUUIDv7();
    await store([id, found.workspace, Date.now(), OUTPUT]);
    return Response.json({ output: OUTPUT, exit_code: 0, execution_id: id });
  },
});
console.log(server.url.origin);

function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}
