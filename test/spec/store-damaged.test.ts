// Alerts of a damaged store, what `svc admin` does with it, and PostgreSQL whose pages are damaged.
import type { Database } from 'bun:sqlite';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import pg from 'pg';
import { flipLastByte, indexesOf, overwritePage, rootPage, tidyLog } from '../damage.ts';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { openMailbox } from '../mailbox.ts';
import { postOf } from '../pipelines.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';
import { runSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

function damageTable({ dataDir }: HubWorld, table: string): void {
  overwritePage(dataDir, rootPage(dataDir, table));
}

async function makeRule(world: HubWorld, target: string): Promise<void> {
  const rule = { name: 'damage', events: ['hub.store_damaged'], channel: 'webhook', target };
  expect((await world.manage('/alerts', postOf(rule))).status).toBe(201);
}

/** A read that finds the damage: after a write a hub reads its file again. */
async function list(world: HubWorld): Promise<number> {
  expect((await world.manage('/api-keys', postOf({ name: 'a write' }))).status).toBe(201);
  return (await world.manage('/secrets')).status;
}

describe('a damaged store is reported to operators', () => {
  test('by a mail that needs nothing of the store, and by their alert rules as long as these can be read', async () => {
    await using mailbox = await openMailbox();
    await using receiver = new Receiver();
    await using world = await hubWorld({
      env: {
        SMTP_URL: mailbox.url,
        SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1',
        SVC_OPERATORS: 'operator@localhost,ada@localhost',
      },
    });
    await makeRule(world, receiver.url);
    tidyLog(world.dataDir);
    damageTable(world, 'sqlite_autoindex_secrets_1');
    expect(await list(world)).toBe(503);
    const { mail } = await mailbox.take('operator@localhost');
    // Whichever is first: the read, or the check that the hub makes after its start.
    expect([mail.subject, mail.text]).toEqual([
      'The store of the hub is damaged',
      expect.stringMatching(/malformed|a check found/),
    ]);
    await mailbox.take('ada@localhost');
    await receiver.until(1);
    expect(receiver.bodies[0]).toMatchObject({
      type: 'hub.store_damaged',
      data: { hub: world.hub.hubUrl, error: expect.stringContaining('malformed') },
    });
  });
});

/** In one process of its own, as an operator runs it. */
const admin = (world: HubWorld, ...args: string[]) =>
  runSvc(['admin', ...args], { cwd: world.dataDir, env: { SVC_DATA_DIR: world.dataDir } });

/** A row that its table forbids: its pages are in order, so a copy of them is made without a complaint. */
function breakRow(dataDir: string): void {
  const [strict, loose] = ['"value" text not null', '"value" text         '];
  const name = 'forged';
  const change = (work: (database: Database) => void) => {
    using database = openHubFile(dataDir);
    work(database);
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  };
  change((database) => database.run(`create table ${name} (id integer primary key, ${loose})`));
  change((database) => database.run(`insert into ${name} values (1, null)`));
  const path = join(dataDir, 'svc.db');
  const bytes = readFileSync(path);
  const at = bytes.indexOf(loose);
  expect(at).toBeGreaterThan(0);
  bytes.write(strict, at);
  writeFileSync(path, bytes);
}

describe('svc admin check', () => {
  test('finds nothing in the data of a hub that runs, quick and full', async () => {
    await using world = await hubWorld();
    for (const args of [['check'], ['check', '--full']]) {
      const { exitCode: code, stdout } = await admin(world, ...args, '--json');
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const depth = args.length === 2 ? 'full' : 'quick';
      expect({ code, lines }).toEqual({
        code: 0,
        lines: ['database', 'audit logs'].map((part) => ({ part, depth, ok: true, findings: [] })),
      });
    }
  });

  test('names what is damaged beside a hub that runs, ends with 1, and says where the way out is', async () => {
    await using world = await hubWorld();
    tidyLog(world.dataDir);
    damageTable(world, 'device_codes');
    const { exitCode: code, stdout, stderr } = await admin(world, 'check');
    expect(code).toBe(1);
    expect(stdout).toContain('DAMAGED');
    expect(stdout).toMatch(/audit logs +ok/);
    expect(stderr).toContain('docs/operate/operating.md');
    expect(stderr).not.toContain('SVC_DATA_DIR');
  });

  test('with --full finds what a quick check does not: a row that its index lacks', async () => {
    await using world = await hubWorld();
    await world.hub.stop({ graceMs: 0 });
    const [name = ''] = indexesOf(world.dataDir, 'audit_entries');
    // The last byte of the first key: another key, in a page that is in order.
    flipLastByte(world.dataDir, rootPage(world.dataDir, name));
    const quick = await admin(world, 'check');
    const full = await admin(world, 'check', '--full');
    expect([full.exitCode, full.stdout]).toEqual([1, expect.stringContaining(name)]);
    expect(quick.stdout).not.toContain(`missing from index ${name}`);
  });

  test('reports it where not even the schema can be read', async () => {
    await using world = await hubWorld();
    await world.hub.stop({ graceMs: 0 });
    overwritePage(world.dataDir, 1);
    const { exitCode: code, stdout } = await admin(world, 'check');
    expect([code, stdout]).toEqual([1, expect.stringContaining('not a database')]);
  });

  test('refuses a folder in which no hub has kept its data', async () => {
    await using folder = await temporaryFolder();
    const { exitCode: code, stderr } = await runSvc(['admin', 'check'], {
      cwd: folder.path,
      env: { SVC_DATA_DIR: folder.path },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('set SVC_DATA_DIR')]);
  });
});

describe('svc admin backup', () => {
  test('of a damaged file makes no copy, and gives the hint that helps', async () => {
    await using world = await hubWorld();
    tidyLog(world.dataDir);
    damageTable(world, 'device_codes');
    const copy = join(world.dataDir, 'copy.db');
    const { exitCode: code, stderr } = await admin(world, 'backup', copy);
    expect([code, existsSync(copy)]).toEqual([1, false]);
    expect(stderr).toContain('svc admin check');
    expect(stderr).not.toContain('SVC_DATA_DIR');
  });

  test('removes a copy that a check finds damaged', async () => {
    await using world = await hubWorld();
    await world.hub.stop({ graceMs: 0 });
    breakRow(world.dataDir);
    const copy = join(world.dataDir, 'copy.db');
    const { exitCode: code, stderr } = await admin(world, 'backup', copy);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the copy is damaged, and was removed')]);
    expect(readdirSync(world.dataDir).filter((name) => name.startsWith('copy'))).toEqual([]);
  });
});

describe.skipIf(postgresMissing !== undefined)('PostgreSQL whose page is damaged', () => {
  test('is reported as soon as a read meets it; the hub stays ready, and continues with the rest', async () => {
    await using folder = await temporaryFolder();
    await using server = await startPostgres({ inside: folder.path });
    const url = await server.createDatabase();
    const env = { DATABASE_URL: url, SVC_MASTER_KEY: '7'.repeat(64) };
    await using world = await hubWorld({ env });
    const path = await query(url, `select pg_relation_filepath('secrets') as path`);
    expect((await world.manage('/secrets/NAME', { ...postOf({ value: 'x' }), method: 'PUT' })).ok).toBe(true);
    await query(url, 'checkpoint');
    expect((await runSvc(['admin', 'check'], { cwd: folder.path, env })).exitCode).toBe(0);
    await server.crash();
    const file = openSync(join(folder.path, 'data', path), 'r+');
    writeSync(file, new Uint8Array(8192).fill(0xa5), 0, 8192, 0);
    closeSync(file);
    await server.start();
    expect((await world.manage('/secrets')).status).toBe(503);
    const health = await fetch(`${world.hub.hubUrl}/health`);
    expect([health.status, await health.json()]).toEqual([
      503,
      expect.objectContaining({ status: 'failing', store: expect.stringContaining('invalid page') }),
    ]);
    const ready = await fetch(`${world.hub.hubUrl}/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, store: 'damaged' }]);
    expect(world.logLines.filter((line) => line.includes('"the store is damaged"'))).toHaveLength(1);
    expect((await world.manage('/api-keys', postOf({ name: 'goes on' }))).status).toBe(201);
    const { exitCode: code, stdout } = await runSvc(['admin', 'check'], { cwd: folder.path, env });
    expect([code, stdout]).toEqual([1, expect.stringContaining('table secrets: invalid page')]);
  });
});

async function query(url: string, text: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ path?: string }>(text);
  await client.end();
  return rows[0]?.path ?? '';
}

test('a repeated call whose record cannot be read fails with the id of its execution', async () => {
  await using world = await hubWorld();
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const call = () => world.call('job', { headers: { 'idempotency-key': 'k' } });
  const first = call();
  await agent.answer('out\n');
  const { execution_id: id } = (await (await first).json()) as { execution_id: string };
  using database = openHubFile(world.dataDir);
  database.run("update execution_output set endings = '[' where execution_id = ?", [id]);
  const repeated = await call();
  expect([repeated.status, repeated.headers.get('x-execution-id'), await repeated.json()]).toMatchObject([
    500,
    id,
    { code: 'internal_error', execution_id: id },
  ]);
});
