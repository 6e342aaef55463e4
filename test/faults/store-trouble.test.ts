// A database that is full, read-only, locked, or gone and back, under a whole hub: decision 14, nothing runs before its record.
// Nothing runs that is not on record, running executions continue and are recorded later, and nothing has to be repaired by
// hand.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOnDisk, immutableMissing, setImmutable } from '@svc/hub/platform/db/fixtures/immutable';
import { smallDisk, smallDiskMissing } from '@svc/hub/platform/db/fixtures/small-disk';
import pg from 'pg';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

const ENDPOINTS = [{ name: 'job', command: 'true' }];
const ASYNC = { headers: { prefer: 'respond-async' } };
/** Room for an empty server and little else. */
const POSTGRES_DISK_BYTES = 160 << 20;
/** No database makes it smaller. */
const PIECE = `${randomBytes(45_000).toBase64()}\n`;

type Mend = () => Promise<void> | void;

interface Trouble {
  /** The health report about it. */
  readonly reason: RegExp;
  /** Settles once the hub is in trouble, with what ends it. */
  readonly begin: (world: HubWorld) => Promise<Mend> | Mend;
}

/** A hub with one command under way meets the trouble, is refused everything by it, and is as before when it is over. */
async function expectNothingLost(
  env: Readonly<Record<string, string>>,
  { reason, begin }: Trouble,
): Promise<void> {
  await using world = await hubWorld({ env });
  const ask = (path: string) => fetch(`${world.hub.hubUrl}${path}`);
  const agent = await world.agent({ endpoints: ENDPOINTS });
  const waiting = world.call('job');
  const { execution_id: id } = await agent.receive('run');
  agent.output(id, 1, 'before\n');
  await agent.receive('ack', ({ seq }) => seq === 1);

  const mend = await begin(world);
  const accepted = await untilRefused(world);
  agent.output(id, 2, PIECE);
  agent.end(id, 2);
  // The probe of the health waits behind the end of the execution, and is answered all the same.
  const [health, ready] = await Promise.all([ask('/health'), ask('/ready')]);
  expect([health.status, await health.json()]).toEqual([
    503,
    expect.objectContaining({ status: 'failing', store: expect.stringMatching(reason) }),
  ]);
  // The accepted call is on its way.
  while (agent.unread('run') < accepted) await pollPause();
  expect([ready.status, agent.unread('ended_ack'), agent.unread('run')]).toEqual([503, 0, accepted]);

  await mend();
  expect(await (await waiting).json()).toMatchObject({ output: `before\n${PIECE}`, exit_code: 0 });
  await agent.receive('ended_ack', (frame) => frame.execution_id === id);
  for (let n = 0; n < accepted; n += 1) await agent.answer('meanwhile\n');
  await expectSound(world, agent, accepted + 1);
}

/** Makes calls on a full disk until one is refused; settles with the number of accepted ones, which run. */
async function untilRefused(world: HubWorld): Promise<number> {
  for (let accepted = 0; ; accepted += 1) {
    const response = await world.call('job', ASYNC);
    const { code } = (await response.json()) as { code?: string };
    if (response.status === 202) continue;
    expect([response.status, code]).toEqual([503, 'unavailable']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    return accepted;
  }
}

/** Calls are answered, and there is a record of each that ever ran and of no other. */
async function expectSound(world: HubWorld, agent: ScriptedAgent, count: number): Promise<void> {
  const called = world.call('job');
  await agent.answer('after\n');
  expect(await (await called).json()).toMatchObject({ output: 'after\n', exit_code: 0 });
  expect((await fetch(`${world.hub.hubUrl}/health`)).status).toBe(200);
  expect((await fetch(`${world.hub.hubUrl}/ready`)).status).toBe(200);
  const statuses: string[] = [];
  let page: string | null = '';
  while (page !== null) {
    const response = await world.manage(`/executions?limit=100${page && `&cursor=${page}`}`);
    const { items, next_cursor } = (await response.json()) as {
      items: { status: string }[];
      next_cursor: string | null;
    };
    statuses.push(...items.map(({ status }) => status));
    page = next_cursor;
  }
  expect(statuses).toEqual(Array(count + 1).fill('succeeded'));
}

describe('SQLite', () => {
  test('whose file another program has locked', () => expectNothingLost({}, { reason: /lock/, begin: lock }));

  test.skipIf(immutableMissing !== undefined)('whose files have turned read-only', async () => {
    await using disk = await folderOnDisk();
    await expectNothingLost(
      { SVC_DATA_DIR: disk.path },
      { reason: /readonly|read-only|not permitted/, begin: async () => forbidWriting(disk.path) },
    );
  });

  test.skipIf(smallDiskMissing !== undefined)('whose disk is full', async () => {
    await using disk = await smallDisk(16 << 20);
    await expectNothingLost(
      { SVC_DATA_DIR: disk.path },
      { reason: /full/, begin: (world) => fill(world, join(disk.path, 'filler')) },
    );
  });
});

function lock({ dataDir }: HubWorld): Mend {
  const database = openHubFile(dataDir);
  database.run('BEGIN IMMEDIATE');
  return () => {
    database.run('ROLLBACK');
    database.close();
  };
}

function forbidWriting(dataDir: string): Mend {
  // NOTE: Not the index, which is mapped into memory: the kernel ends a process that writes to such a page.
  const files = ['svc.db', 'svc.db-wal'].map((name) => join(dataDir, name));
  setImmutable(files, true);
  return () => setImmutable(files, false);
}

/** Takes all the room there is, and what the store sets free when it tidies its log away. */
async function fill({ hub }: HubWorld, filler: string): Promise<Mend> {
  do {
    for (let chunk = 1 << 20; chunk >= 1; ) {
      try {
        writeFileSync(filler, new Uint8Array(chunk), { flag: 'a' });
      } catch {
        chunk >>= 1;
      }
    }
  } while ((await fetch(`${hub.hubUrl}/health`)).status === 200);
  return () => rmSync(filler);
}

describe.skipIf(postgresMissing !== undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const environment = async () => {
    url = await server.createDatabase();
    return { DATABASE_URL: url, SVC_MASTER_KEY: randomBytes(32).toHex() };
  };

  test('whose server is gone and comes back', async () => {
    const begin = async ({ hub, start }: HubWorld) => {
      await server.crash();
      const headers = { authorization: `Bearer ${start.agentToken}` };
      const comes = await fetch(`${hub.hubUrl}/agents/connect`, { headers });
      expect([comes.status, await comes.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'unavailable' }),
      ]);
      return () => server.start();
    };
    await expectNothingLost(await environment(), { reason: /ECONNREFUSED|terminated|not queryable/, begin });
  });

  test.skipIf(smallDiskMissing !== undefined)('whose disk is full', async () => {
    await using disk = await smallDisk(POSTGRES_DISK_BYTES);
    await using small = await startPostgres({ inside: disk.path });
    const env = { DATABASE_URL: await small.createDatabase(), SVC_MASTER_KEY: randomBytes(32).toHex() };
    let isOver = false;
    const begin = async (world: HubWorld) => {
      const mend = await fill(world, join(disk.path, 'filler'));
      return async () => {
        await mend();
        // Lines that it could not write to its log may have ended it.
        void small.died().then(() => (isOver ? undefined : small.start()));
      };
    };
    await expectNothingLost(env, { reason: /No space left|could not|ECONNREFUSED|recovery/i, begin });
    isOver = true;
  });

  test('that has turned read-only', async () => {
    await expectNothingLost(await environment(), { reason: /read-only/, begin: () => setReadOnly(url) });
  });
});

/** For everybody who connects from now on, which is everybody but us. */
async function setReadOnly(url: string): Promise<Mend> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const set = (value: 'on' | 'off') =>
    client.query(
      `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
    );
  await set('on');
  const others = 'select pg_terminate_backend(pid) from pg_stat_activity';
  await client.query(`${others} where datname = current_database() and pid <> pg_backend_pid()`);
  return async () => {
    await set('off');
    await client.end();
  };
}
