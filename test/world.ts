import { setDefaultTimeout } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configText, type EndpointYaml } from './config-text.ts';
import { Lines } from './lines.ts';
import { startSvc } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Bun's five seconds are short for real processes on a busy machine. No test passes by waiting them out. */
setDefaultTimeout(60_000);

export interface WorldOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: 127.0.0.1. */
  readonly host?: string;
}

/** A real `svc serve` in a process and a folder of its own; disposing of it ends the one and removes the other. */
export interface World extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Where the config file is and commands run. */
  readonly folder: string;
  readonly stdout: Lines;
  readonly stderr: Lines;
  /** Its output when it was ready. */
  readonly ready: { readonly url: string; readonly endpoints: unknown; readonly warnings: readonly string[] };
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

/** Serves these endpoints on a free port; settles when the server says that it is ready. */
export async function serveWorld(
  endpoints: readonly EndpointYaml[],
  { args = [], env, host = '127.0.0.1' }: WorldOptions = {},
): Promise<World> {
  const folder = await temporaryFolder();
  const config = join(folder.path, 'svc.yaml');
  await Bun.write(config, configText(endpoints));
  const child = startSvc(['serve', '--json', '--port', '0', '--host', host, '--config', config, ...args], {
    // Not the folder of the file, which is where commands have to run all the same.
    cwd: tmpdir(),
    ...(env ? { env } : {}),
  });
  const [stdout, stderr] = [new Lines(child.stdout), new Lines(child.stderr)];
  const dispose = async () => {
    child.kill('SIGKILL');
    await child.exited;
    await folder[Symbol.asyncDispose]();
  };
  try {
    const ready = JSON.parse(await stdout.find(/^\{/)) as World['ready'];
    return {
      url: ready.url,
      port: Number(new URL(ready.url).port),
      pid: child.pid,
      folder: folder.path,
      stdout,
      stderr,
      ready,
      signal: (signal) => child.kill(signal),
      exited: child.exited,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (cause) {
    await dispose();
    throw new Error(`svc serve did not get ready: ${stderr.text}`, { cause });
  }
}
