import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@svc/hub/build/open-store';
import { readHubConfig } from '@svc/hub/config';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../test/postgres.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { type Seeded, seedIn } from '../peers/seed.ts';
import { fill, fillLongOutput, type Target } from './fill.ts';

export type Kind = 'sqlite' | 'postgres';

/** A store with this many executions, before a hub starts on it. */
export interface FilledStore extends AsyncDisposable {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly account: Seeded;
  /** All that it takes on the disk, for each execution that it was filled with. */
  bytesPerExecution(): Promise<number>;
  /** Gives one execution an output of many pieces. Returns its id. */
  addLongOutput(): Promise<string>;
  /** Adds executions that retention has to remove. */
  addOld(count: number): Promise<void>;
}

const DAY_MS = 86_400_000;

/** The facts about a store on SQLite that an earlier run filled. */
interface Kept {
  readonly account: Seeded;
  readonly bytes: number;
}

/** A store on SQLite in a folder that stays: filled once, it serves every later run. Runs leave their own calls in it. */
export async function keptStore(folder: string, rows: number): Promise<FilledStore> {
  const dataDir = join(folder, `sqlite-${rows}`);
  const known = `${dataDir}.json`;
  const target = { file: join(dataDir, 'svc.db') };
  if (!existsSync(known)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const account = await seeded(dataDir, {});
    await fillOf({ dataDir, env: {}, target, account }, rows, Date.now());
    const kept: Kept = { account, bytes: await bytesOf(target) };
    writeFileSync(known, JSON.stringify(kept), { mode: 0o600 });
  }
  const { account, bytes } = JSON.parse(readFileSync(known, 'utf8')) as Kept;
  return {
    ...{ dataDir, account, env: {} },
    bytesPerExecution: async () => bytes / rows,
    addLongOutput: () => fillLongOutput(target),
    addOld: (count) => fillOf({ dataDir, env: {}, target, account }, count, Date.now() - 31 * DAY_MS),
    async [Symbol.asyncDispose]() {},
  };
}

interface ToFill {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly target: Target;
  readonly account: Seeded;
}

async function fillOf({ dataDir, env, target, account }: ToFill, rows: number, nowMs: number) {
  await using store = await openStore(readHubConfig({ SVC_DATA_DIR: dataDir, ...env }));
  const foldCounts = () => store.foldCounts();
  await fill(target, { workspaceId: account.workspaceId, keyId: 'bench', rows, nowMs, foldCounts });
}

export async function filledStore(kind: Kind, rows: number): Promise<FilledStore> {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const server: PostgresServer | undefined =
    kind === 'postgres' ? await startPostgres({ lifetimeSec: 7_200 }) : undefined;
  const url = await server?.createDatabase();
  const masterKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
  const env: Record<string, string> =
    url === undefined ? {} : { DATABASE_URL: url, SVC_MASTER_KEY: masterKey };
  const account = await seeded(dataDir, env);
  const target: Target = url === undefined ? { file: join(dataDir, 'svc.db') } : { url };
  const toFill = { dataDir, env, target, account };
  await fillOf(toFill, rows, Date.now());
  return {
    ...{ dataDir, env, account },
    bytesPerExecution: async () => (await bytesOf(target)) / rows,
    addLongOutput: () => fillLongOutput(target),
    addOld: (count) => fillOf(toFill, count, Date.now() - 31 * DAY_MS),
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function seeded(dataDir: string, env: Readonly<Record<string, string>>): Promise<Seeded> {
  await using store = await openStore(readHubConfig({ SVC_DATA_DIR: dataDir, ...env }));
  const [account] = await seedIn(store, 1, 1);
  if (account === undefined) throw new Error('no account was made');
  return account;
}

async function bytesOf(target: Target): Promise<number> {
  if ('file' in target) return statSync(target.file).size;
  const client = new pg.Client({ connectionString: target.url });
  await client.connect();
  const { rows } = await client.query('select pg_database_size(current_database())::bigint as bytes');
  await client.end();
  return Number(rows[0].bytes);
}
