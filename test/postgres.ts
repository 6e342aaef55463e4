import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { Lines } from './lines.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A PostgreSQL server of its own, gone with the test. It syncs as one in service does. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of a new, empty database on it. */
  createDatabase(): Promise<string>;
  start(): Promise<void>;
  /** Ends it at once, in the middle of whatever it does: the next start recovers from its log. */
  crash(): Promise<void>;
}

/** Where Debian has the programs of each version; elsewhere they are in the path. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** A server does not outlive a test run that was killed. */
const LIFETIME_SEC = 900;
const ROLE = 'svc';
const READY = /database system is ready to accept connections/;

const programs = programFolder();
const isRoot = process.getuid?.() === 0;

/** Why there can be no server here; undefined where there can. */
export const postgresMissing: string | undefined =
  programs === undefined ? 'PostgreSQL is not installed (Debian package postgresql)' : undefined;

/** @param options.syncs false for tests of something else than the store, in which no server crashes */
export async function startPostgres({ syncs = true } = {}): Promise<PostgresServer> {
  const folder = await temporaryFolder();
  if (isRoot) await chown(folder.path, ...(await idsOfPostgres()));
  const data = join(folder.path, 'data');
  await run('initdb', '-D', data, '-U', ROLE, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync');
  const port = await freePort();
  const begin = () => startServer(data, folder.path, port, syncs);
  let server = await begin();
  let databases = 0;
  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      await run('createdb', '-h', folder.path, '-p', String(port), '-U', ROLE, name);
      return `postgres://${ROLE}@127.0.0.1:${port}/${name}`;
    },
    async start() {
      server = await begin();
    },
    crash: () => end(server, data, 'SIGQUIT'),
    async [Symbol.asyncDispose]() {
      // Without a last checkpoint: nobody will start it again.
      await end(server, data, 'SIGQUIT');
      await rm(folder.path, { recursive: true, force: true });
    },
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

async function startServer(data: string, socketFolder: string, port: number, syncs: boolean) {
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `fsync=${syncs ? 'on' : 'off'}`,
    '-c',
    'max_connections=60',
  ];
  const command = ['timeout', String(LIFETIME_SEC), program('postgres'), '-D', data, '-p', String(port)];
  const server = Bun.spawn([...asPostgres(), ...command, '-k', socketFolder, ...settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Lines(server.stderr).find(READY);
  return server;
}

/** NOTE: The signal is for the server itself: `runuser` and `timeout` stand before it. */
async function end(server: Server, data: string, signal: NodeJS.Signals): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  if (server.exitCode === null && existsSync(pidFile))
    process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), signal);
  await server.exited;
}

async function run(name: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([...asPostgres(), program(name), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stderr = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${name} ${args.join(' ')}: ${stderr}`);
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

function program(name: string): string {
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

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
