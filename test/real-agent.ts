import { join } from 'node:path';
import { configText, type EndpointYaml } from './config-text.ts';
import type { HubWorld } from './hub-world.ts';
import { Lines } from './lines.ts';
import { startSvc } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A real `svc agent` with a file of its own, connected to the hub of a test. */
export interface RealAgent extends AsyncDisposable {
  readonly pid: number;
  /** Its output. */
  readonly stdout: Lines;
  readonly stateFolder: string;
  /** Kills it and starts another process in its place, which is connected when this settles. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  /** Does something that takes its hub away and brings it back, and settles when the hub knows it again. */
  through(restart: () => Promise<void>): Promise<void>;
}

const CONNECTED = /connected as agent/;

/**
 * Settles when the hub has the agent.
 *
 * @param env variables besides, or instead: of another way to the hub
 */
export async function realAgent(
  world: HubWorld,
  endpoints: readonly EndpointYaml[],
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RealAgent> {
  const folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText(endpoints));
  const token = await world.tokenFor(args[args.indexOf('--name') + 1 || args.length]);
  const stateFolder = join(folder.path, 'state');
  const start = async () => {
    const child = startSvc(['agent', '--state-dir', stateFolder, ...args], {
      cwd: folder.path,
      env: { SVC_TOKEN: token, SVC_BASE_URL: world.hub.hubUrl, ...env },
    });
    const stdout = new Lines(child.stdout);
    await stdout.find(CONNECTED);
    return { child, stdout };
  };
  let { child, stdout } = await start();
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  return {
    get pid() {
      return child.pid;
    },
    get stdout() {
      return stdout;
    },
    stateFolder,
    kill,
    async restart() {
      await kill();
      ({ child, stdout } = await start());
    },
    async through(restart) {
      const { count } = stdout;
      await restart();
      await stdout.find(CONNECTED, count);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
