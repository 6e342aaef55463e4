// A hub whose listening socket the service manager keeps: it starts again under load, and no call fails. A stand-in keeps the
// socket as systemd does, so that signals, ports and crashes can be tried quickly; test/release upgrades under systemd itself.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { freePort } from '../free-port.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { underLoad } from './call-load.ts';

setDefaultTimeout(120_000);

const KEEPER = join(import.meta.dir, 'keep-sockets.py');
const THREADS = 6;
const HOW_MANY_RESTARTS = 3;
const MISSING = Bun.which('python3') === null ? 'python3 is not installed' : undefined;
const isPossible = MISSING === undefined && process.platform === 'linux' && process.arch !== 'arm';

describe.skipIf(!isPossible)(`a hub with a kept socket${MISSING ? ` (skipped: ${MISSING})` : ''}`, () => {
  let folder: TemporaryFolder;
  let program: HubProgram;
  let keeper: ReturnType<typeof startSvc>;
  let kept: Lines;
  let log: Lines;
  let agent: ReturnType<typeof startSvc>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    program = await HubProgram.make(folder.path);
    ({ keeper, kept, log } = startKept(program, program.port));
    await log.find(/the hub listens/);
    const commands = [
      { name: 'quick', command: 'echo ran' },
      { name: 'slow', command: 'echo began; sleep 4; echo ran' },
    ];
    await Bun.write(join(folder.path, 'svc.yaml'), configText(commands));
    agent = startSvc(['agent', '--state-dir', join(folder.path, 'state')], {
      cwd: folder.path,
      env: { SVC_TOKEN: program.agentToken, SVC_BASE_URL: program.url },
    });
    await new Lines(agent.stdout).find(/connected as agent/);
  });
  afterAll(async () => {
    agent?.kill('SIGKILL');
    keeper?.kill('SIGTERM');
    await keeper?.exited;
    await folder?.[Symbol.asyncDispose]();
  });

  /** Restarts the hub by a signal to its keeper; settles when the next process listens. */
  async function restarted(signal: 'SIGHUP' | 'SIGUSR1'): Promise<void> {
    const seen = log.count;
    keeper.kill(signal);
    await log.find(/the hub listens/, seen);
  }

  test('starts again and again while it is called without retries, and no call fails', async () => {
    const endpoint = { url: `${program.url}/v1/local/quick`, key: program.apiKey, threads: THREADS };
    const load = await underLoad(endpoint, async () => {
      for (let count = 0; count < HOW_MANY_RESTARTS; count += 1) await restarted('SIGHUP');
    });
    expect(load.failed).toEqual([]);
    expect(load.calls).toBeGreaterThan(THREADS * HOW_MANY_RESTARTS);
    expect(kept.text.match(/^kept /gm)).toHaveLength(1);
    expect(kept.text.match(/^ended 0$/gm)).toHaveLength(HOW_MANY_RESTARTS);
  });

  test('sends the rest of a call that runs while it stops', async () => {
    const begun = await program.ask('/v1/local/slow', { method: 'POST' });
    const again = restarted('SIGHUP');
    expect(outputOf(await begun.text())).toEqual(['began', 'ran']);
    await again;
  });

  test('connections wait for the process that replaces a killed one', async () => {
    await restarted('SIGUSR1');
    const seen = kept.count;
    keeper.kill('SIGUSR1');
    await kept.find(/^ended /, seen);
    // No process listens now, and the connection is not refused.
    const answer = await program.ask('/v1/local/quick', { method: 'POST' });
    expect([answer.status, outputOf(await answer.text())]).toEqual([200, ['ran']]);
  });

  test('the address of a caller and the port of the hub are as with a socket of its own', async () => {
    const answer = await fetch(`${program.url}/health`);
    expect(answer.status).toBe(200);
    const [printed = ''] = log.text.match(/"hub":"[^"]*"/g)?.slice(-1) ?? [];
    expect(printed).toBe(`"hub":"${program.url}"`);
  });
});

test.skipIf(!isPossible)('a kept socket of an earlier address is given up', async () => {
  await using folder = await temporaryFolder();
  const program = await HubProgram.make(folder.path);
  const port = await freePort();
  // The environment of the keeper changes with a file, as that of a service does.
  const ports = join(folder.path, 'port');
  await Bun.write(ports, String(program.port));
  const { keeper, kept, log } = startKept(program, ports);
  await log.find(/the hub listens/);
  await Bun.write(ports, String(port));
  const seen = log.count;
  keeper.kill('SIGHUP');
  await log.find(/the hub listens/, seen);
  await kept.find(new RegExp(`^removed http-127.0.0.1-${program.port}$`));
  await kept.find(new RegExp(`^kept http-127.0.0.1-${port}$`));
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  const refused = fetch(`${program.url}/health`).catch((error: { readonly code: string }) => error.code);
  expect(await refused).toBe('ECONNREFUSED');
  keeper.kill('SIGTERM');
  await keeper.exited;
});

/** The lines of a call, of which the stream tells with its end that nothing is missing. */
function outputOf(stream: string): string[] {
  const events = stream.matchAll(/^data: (.*)$/gm).map(([, text = '']) => JSON.parse(text) as StreamEvent);
  const all = [...events];
  expect(all.at(-1)).toMatchObject({ type: 'done', exit_code: 0 });
  return all.flatMap(({ type, data = '' }) => (type === 'output' ? [data] : []));
}

interface StreamEvent {
  readonly type: string;
  readonly data?: string;
}

/** @param port a number, or a file with the number that each start reads */
function startKept(program: HubProgram, port: number | string) {
  const fromFile = ['sh', '-c', 'exec "$@" --port "$(cat "$0")"', String(port)];
  const wrapper = ['python3', KEEPER, ...(typeof port === 'string' ? fromFile : [])];
  const keeper = startSvc(['hub', ...(typeof port === 'string' ? [] : ['--port', String(port)])], {
    cwd: program.dataDir,
    env: { SVC_DATA_DIR: program.dataDir, ...program.env },
    wrapper,
  });
  return { keeper, kept: new Lines(keeper.stdout), log: new Lines(keeper.stderr) };
}
