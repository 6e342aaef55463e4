import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SQL } from 'bun';
import { freePort } from './free-port.ts';
import { LIFETIME_SEC } from './lifetime.ts';
import { Lines } from './lines.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A PostgreSQL server of its own, gone with the test. It syncs as one in service does. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of a new database on it: an empty one, or a copy of one without connections. */
  createDatabase(copyOf?: string): Promise<string>;
  /** The URL of a database with all tables, to be copied, where the run of the tests has prepared one. */
  readonly prepared: string | undefined;
  start(): Promise<void>;
  /** Ends it in order: its data can be copied. */
  stop(): Promise<void>;
  /** Ends it at once, in the middle of whatever it does: the next start recovers from its log. */
  crash(): Promise<void>;
  /** The server itself, and then the processes that it has for connections and for its own work. */
  processes(): readonly number[];
  /** Settles when the server itself has ended, whatever has killed it. */
  died(): Promise<void>;
}

export interface PostgresOptions {
  readonly inside?: string;
  readonly syncs?: boolean;
  readonly lifetimeSec?: number;
}

/** The folder of each version's programs on Debian; on other systems they are in the path. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** The processes of a killed server end by themselves, and no other server starts on its data before. */
const START_TRIES = 50;
const TRY_AGAIN_MS = 100;
const ROLE = 'svc';
const DATA = 'data';
/**
 * A folder with the data of a server that has stopped: copied in a quarter of the time that `initdb` takes. The copies stand
 * beside it, so in memory where it is.
 */
const { SVC_TEST_POSTGRES: PREPARED } = process.env;
/** In the prepared data. */
const PREPARED_DATABASE = 'test_1';
const READY = /database system is ready to accept connections/;

const programs = programFolder();
const isRoot = process.getuid?.() === 0;

/** Why there can be no server here; undefined where there can. */
export const postgresMissing: string | undefined =
  process.env.SVC_TEST_SERVERS === 'none'
    ? 'this run has no servers'
    : programs === undefined
      ? 'PostgreSQL is not installed (Debian package postgresql)'
      : undefined;

/**
 * @param options.inside a folder for its data, such as a disk of its own; default: a new one, gone with it
 * @param options.syncs false for tests of something else than the store, in which no machine crashes
 * @param options.lifetimeSec how long it lives at most
 */
export async function startPostgres({
  inside,
  syncs = true,
  lifetimeSec = LIFETIME_SEC,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder =
    inside === undefined ? await temporaryFolder(PREPARED && dirname(PREPARED)) : { path: inside };
  if (isRoot) await chown(folder.path, ...(await idsOfPostgres()));
  const data = join(folder.path, DATA);
  await makeData(data);
  const port = await freePort();
  const begin = () => startServer({ data, socketFolder: folder.path, port, syncs, lifetimeSec });
  let server = await begin();
  let databases = PREPARED === undefined ? 0 : 1;
  const urlOf = (database: string) => `postgres://${ROLE}@127.0.0.1:${port}/${database}`;
  return {
    prepared: PREPARED === undefined ? undefined : urlOf(PREPARED_DATABASE),
    async createDatabase(copyOf) {
      const name = `test_${++databases}`;
      const template = copyOf === undefined ? 'template1' : new URL(copyOf).pathname.slice(1);
      await using sql = new SQL(urlOf('postgres'), { max: 1 });
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return urlOf(name);
    },
    async start() {
      server = await begin();
    },
    stop: () => end(server, data, 'SIGINT'),
    crash: () => end(server, data, 'SIGQUIT'),
    processes: () => processesOf(data),
    async died() {
      await server.exited;
    },
    async [Symbol.asyncDispose]() {
      // Without a last checkpoint: the server is not started again.
      await end(server, data, 'SIGQUIT');
      if (inside === undefined) await rm(folder.path, { recursive: true, force: true });
    },
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

interface ServerSettings {
  readonly data: string;
  readonly socketFolder: string;
  readonly port: number;
  readonly syncs: boolean;
  readonly lifetimeSec: number;
}

async function startServer(settings: ServerSettings) {
  for (let tries = 1; ; tries += 1) {
    const server = spawnServer(settings);
    const output = new Lines(server.stderr);
    try {
      await output.find(READY);
      return server;
    } catch (cause) {
      if (tries === START_TRIES) throw new Error(`PostgreSQL did not start: ${output.text}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}

function spawnServer({ data, socketFolder, port, syncs, lifetimeSec }: ServerSettings) {
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `fsync=${syncs ? 'on' : 'off'}`,
    '-c',
    'max_connections=60',
  ];
  const command = [
    'timeout',
    String(lifetimeSec),
    postgresProgram('postgres'),
    '-D',
    data,
    '-p',
    String(port),
  ];
  return Bun.spawn([...asPostgres(), ...command, '-k', socketFolder, ...settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function processesOf(data: string): number[] {
  const server = serverPid(data);
  if (server === undefined) return [];
  try {
    const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8');
    return [server, ...children.split(' ').filter(Boolean).map(Number)];
  } catch {
    return [];
  }
}

function serverPid(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
}

/** NOTE: The signal is for the server itself: `runuser` and `timeout` stand before it. */
async function end(server: Server, data: string, signal: NodeJS.Signals): Promise<void> {
  const pid = serverPid(data);
  const isOver = server.exitCode !== null || server.signalCode !== null;
  if (!isOver && pid !== undefined) process.kill(pid, signal);
  await server.exited;
}

function makeData(data: string): Promise<void> {
  if (PREPARED !== undefined) return run('cp', '-a', join(PREPARED, DATA), data);
  const settings = ['-U', ROLE, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  return run(postgresProgram('initdb'), '-D', data, ...settings);
}

async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn([...asPostgres(), ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stderr = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

/** It refuses to run as root. */
function asPostgres(): string[] {
  return isRoot ? ['runuser', '-u', 'postgres', '--'] : [];
}

async function idsOfPostgres(): Promise<[uid: number, gid: number]> {
  const id = async (option: string) =>
    Number(await new Response(Bun.spawn(['id', option, 'postgres']).stdout).text());
  return [await id('-u'), await id('-g')];
}

/** Where a program of PostgreSQL is, such as `pg_dump`. */
export function postgresProgram(name: string): string {
  return join(programs ?? '', name);
}

function programFolder(): string | undefined {
  const inPath = Bun.which('initdb');
  // A link in the path has the other programs beside what it points to.
  if (inPath !== null) return dirname(realpathSync(inPath));
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = versions.map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  return folders.filter((folder) => existsSync(join(folder, 'initdb'))).at(-1);
}
