import { firstLine } from './first-line.ts';
import { orStop, stop } from './server.ts';
import { svcProgram } from './svc.ts';

/** A process of `svc`; disposing of it ends the process without a word. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** Where it is reached from this machine, without a slash at the end. */
  readonly url: string;
  /** Settles when the process has ended. */
  signal(signal: NodeJS.Signals): Promise<void>;
}

export interface HubStart {
  readonly dataDir: string;
  readonly program?: readonly string[];
  /** 0, which is the default, for one that is free. */
  readonly port?: number;
  readonly host?: string;
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `svc hub`, on SQLite unless its environment says otherwise, without rate limits; settles when it says that it listens. */
export async function startHub({
  dataDir,
  program = svcProgram().argv,
  port = 0,
  host = '127.0.0.1',
  env = {},
}: HubStart): Promise<Running> {
  const child = Bun.spawn([...program, 'hub', '--host', host, '--port', `${port}`], {
    env: { ...hubEnvironment(dataDir), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const listening = firstLine(child.stderr, (line) => line.includes('the hub listens'));
  const { hub } = JSON.parse(await orStop(child, listening)) as { readonly hub: string };
  return running(child, hub);
}

/** `svc agent` with a journal of its own; settles when the hub has welcomed it. */
export async function startAgent({
  config,
  ...agent
}: AgentStart & { readonly config: string }): Promise<Running> {
  return await connectAgent(['--config', config], agent);
}

/** The same as a host of the hosted runner. To be ended by a signal: one that is killed leaves mounts and control groups. */
export async function startHost({
  options,
  ...agent
}: AgentStart & { readonly options: readonly string[] }): Promise<Running> {
  return await connectAgent(['--runner', 'container', ...options], agent);
}

interface AgentStart {
  readonly token: string;
  readonly hubUrl: string;
  readonly stateDir: string;
}

async function connectAgent(
  options: readonly string[],
  { token, hubUrl, stateDir }: AgentStart,
): Promise<Running> {
  const argv = [...svcProgram().argv, 'agent', '--json', '--state-dir', stateDir, ...options];
  const child = Bun.spawn(argv, {
    env: { ...process.env, SVC_TOKEN: token, SVC_BASE_URL: hubUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await orStop(
    child,
    firstLine(child.stdout, (line) => line.includes('"event":"connected"')),
  );
  return running(child, hubUrl);
}

/** `svc up` in a folder of its own, with the key that it prints. */
export async function startUp(
  config: string,
  dataDir: string,
  program = svcProgram().argv,
): Promise<Running & { readonly key: string }> {
  const argv = [...program, 'up', '--json', '--port', '0', '--config', config];
  const child = Bun.spawn(argv, {
    env: hubEnvironment(dataDir),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = JSON.parse(await orStop(child, firstLine(child.stdout))) as Record<string, string>;
  return { ...running(child, `${ready.base_url}/v1/${ready.username}`), key: ready.api_key ?? '' };
}

function hubEnvironment(dataDir: string): Record<string, string | undefined> {
  return {
    ...process.env,
    DATABASE_URL: undefined,
    SVC_BASE_URL: undefined,
    SVC_HUB_URL: undefined,
    SVC_DATA_DIR: dataDir,
    SVC_RATE_LIMITS: 'off',
  };
}

function running(child: Bun.Subprocess, url: string): Running {
  return {
    pid: child.pid,
    url,
    async signal(signal) {
      child.kill(signal);
      await child.exited;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}
