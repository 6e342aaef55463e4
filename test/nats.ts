import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { LIFETIME_SEC } from './lifetime.ts';
import { Lines } from './lines.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** A NATS server of its own, gone with the test. */
export interface NatsServer extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  /** Without a word, as `kill -9` does. */
  kill(): Promise<void>;
  /** Stops the broker, which keeps its connections and answers nothing until `wake`. Resolves when each of its threads has stopped. */
  freeze(): Promise<void>;
  wake(): void;
  /** On the same port. */
  start(): Promise<void>;
}

const READY = /Server is ready/;

/** Why there can be no server here; undefined where there can. */
export const natsMissing: string | undefined =
  Bun.which('nats-server') === null ? 'NATS is not installed (Debian package nats-server)' : undefined;

/**
 * @param config further lines of its configuration
 * @param lifetimeSec how long it lives at most
 */
export async function startNats(config = '', lifetimeSec = LIFETIME_SEC): Promise<NatsServer> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const file = join(folder.path, 'nats.conf');
  const pidFile = join(folder.path, 'nats.pid');
  await writeFile(file, `listen: "127.0.0.1:${port}"\npid_file: "${pidFile}"\n${config}\n`);
  let server = await begin(file, lifetimeSec);
  const kill = async () => {
    // `timeout` stands before it, and passes on what can be passed on: not SIGKILL.
    const isOver = server.exitCode !== null || server.signalCode !== null;
    if (!isOver) process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    await server.exited;
  };
  return {
    address: `127.0.0.1:${port}`,
    kill,
    async freeze() {
      const pid = Number(readFileSync(pidFile, 'utf8'));
      process.kill(pid, 'SIGSTOP');
      await until(() => standsStill(pid));
    },
    wake: () => process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGCONT'),
    async start() {
      server = await begin(file, lifetimeSec);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Whether each thread is stopped: a signal reaches them one after the other. */
function standsStill(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );
}

/** Tells all hubs something in the words of the protocol, as any client of the broker could. Settles when the broker has it. */
export async function publishRaw(address: string, payloads: readonly (string | Uint8Array)[]): Promise<void> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  socket.write('CONNECT {"verbose":false}\r\n');
  for (const payload of payloads) {
    const bytes = Buffer.from(payload);
    socket.write(
      Buffer.concat([Buffer.from(`PUB svc.1.all ${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]),
    );
  }
  socket.write('PING\r\n');
  // The first answer is its INFO, which may come with the PONG.
  for await (const answer of socket) if (String(answer).includes('PONG')) break;
}

async function begin(file: string, lifetimeSec: number) {
  const server = Bun.spawn(['timeout', String(lifetimeSec), 'nats-server', '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Lines(server.stderr).find(READY);
  return server;
}
