// Commands with a user of their own, and what `svc up` and `svc hub` show to those without (decision 59, the agent's token
// stays with the agent).
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentProgram } from '../agent-program.ts';
import { AS_NOBODY, giveToNobody } from '../as-nobody.ts';
import { configText, type EndpointYaml } from '../config-text.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

const isRoot = process.getuid?.() === 0;
const onLinux = describe.skipIf(process.platform !== 'linux');
const asRoot = onLinux.skipIf(!isRoot);
const LOOK = join(import.meta.dir, '..', 'look-at-process.sh');
const MASTER_KEY = 'ab'.repeat(32);
const SMTP_URL = 'smtp://mailer:a-mail-password@127.0.0.1:1';

/** A zombie does not count: its parent may never collect it. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
  chmodSync(folder.path, 0o755);
});
afterEach(() => folder[Symbol.asyncDispose]());

asRoot('svc agent --run-as', () => {
  let program: AgentProgram;
  const outputOf = async (name: string) => (await program.hub.ended(program.hub.run(name))).output;
  const make = async (commands: Readonly<Record<string, string>>) => {
    const endpoints = Object.entries(commands).map(([name, command]) => ({ name, command }));
    program = await AgentProgram.make(endpoints);
    chmodSync(program.folder, 0o755);
    writeFileSync(program.path('agent-token'), program.token, { mode: 0o600 });
    // More groups than one, which commands must not have.
    const wrapper = ['setpriv', '--groups=4,27'];
    const token = ['--token-file', program.path('agent-token')];
    await program.connect(['--run-as', 'nobody', ...token], {}, { wrapper, withoutToken: true });
  };
  afterEach(() => program[Symbol.asyncDispose]());

  test('commands have the rights of that user and none of the agent', async () => {
    await make({
      who: 'id -u; id -G; echo "$USER $LOGNAME $HOME"',
      secrets: 'cat agent-token; ls state; touch here; echo over',
      look: `sh ${LOOK} $PPID`,
      streams: 'echo out >/dev/stdout; echo err >/dev/stderr',
    });
    expect(await outputOf('who')).toBe('65534\n65534\nnobody nobody /nonexistent\n');
    const secrets = await outputOf('secrets');
    expect(secrets.match(/Permission denied/g)).toHaveLength(3);
    expect(secrets).toEndWith('over\n');
    expect(await outputOf('look')).toContain('environ denied\ncmdline clean\nmem denied\nfd denied\n');
    expect(await outputOf('streams')).toBe('out\nerr\n');
  });

  test('a command that is cancelled ends, with what left its group', async () => {
    await make({ long: 'setsid sleep 300 >/dev/null 2>&1 & echo $!; sleep 300' });
    const { hub } = program;
    const id = hub.run('long');
    await hub.until(() => hub.record(id).output.endsWith('\n'));
    const pid = Number(hub.record(id).output);
    expect(statSync(`/proc/${pid}`).uid).toBe(65_534);
    hub.send({ type: 'cancel', execution_id: id });
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'cancelled' });
    expect(isAlive(pid)).toBe(false);
  });
});

onLinux('svc up', () => {
  const endpoints: EndpointYaml[] = [
    { name: 'look', command: `sh ${LOOK} $PPID` },
    { name: 'variables', command: 'env' },
    { name: 'data', command: 'cat data/up.json data/master.key >copy; ls data | wc -l; rm -f copy' },
  ];

  /** Starts it with secrets of a hub in its environment, and calls its endpoints. */
  async function up(
    args: readonly string[],
    wrapper: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    writeFileSync(join(folder.path, 'svc.yaml'), configText(endpoints));
    const child = startSvc(['up', '--port', '0', '--json', ...args], {
      cwd: folder.path,
      env: { SVC_DATA_DIR: join(folder.path, 'data'), SMTP_URL, ...env },
      wrapper,
    });
    const stderr = new Lines(child.stderr);
    const line = await Promise.race([
      new Lines(child.stdout).find(/^\{/),
      child.exited.then((code) => {
        throw new Error(`svc up exited with ${code}: ${stderr.text}`);
      }),
    ]);
    const ready = JSON.parse(line) as Record<string, string>;
    return {
      ready,
      async call(name: string): Promise<string> {
        const headers = { 'x-api-key': ready.api_key ?? '', accept: 'application/json' };
        const response = await fetch(`${ready.base_url}/v1/local/${name}`, { method: 'POST', headers });
        return ((await response.json()) as { output: string }).output;
      },
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await child.exited;
      },
    };
  }

  test('commands of its own user find no secret of the hub in its process or their environment', async () => {
    giveToNobody(folder.path);
    const env = { SVC_MASTER_KEY: MASTER_KEY, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=a-password' };
    await using program = await up([], AS_NOBODY, env);
    expect(await program.call('look')).toContain('environ denied\ncmdline clean\nmem denied\nfd denied\n');
    const variables = await program.call('variables');
    expect(variables).toContain('\nPATH=');
    expect(variables).not.toMatch(/password|MASTER_KEY|abab/);
    expect(program.ready).toMatchObject({ commands_can_read_data: true });
    if (isRoot) expect(program.ready.commands_run_as).toBe('nobody');
  });

  test.skipIf(!isRoot)('commands with a user of their own cannot read its data', async () => {
    mkdirSync(join(folder.path, 'data'), { mode: 0o755 });
    chmodSync(folder.path, 0o777);
    await using program = await up(['--run-as', 'nobody'], [], {});
    expect(await program.call('data')).toMatch(
      /data\/up\.json: Permission denied\n.*master\.key: Permission denied\n.*data'?: Permission denied\n0\n$/,
    );
    expect(program.ready).toMatchObject({ commands_run_as: 'nobody', commands_can_read_data: false });
    expect(statSync(join(folder.path, 'data')).mode & 0o777).toBe(0o700);
  });

  test('says once to people whose rights commands have', async () => {
    writeFileSync(join(folder.path, 'svc.yaml'), configText(endpoints));
    const child = startSvc(['up', '--port', '0'], {
      cwd: folder.path,
      env: { SVC_DATA_DIR: join(folder.path, 'data') },
    });
    const stdout = new Lines(child.stdout);
    await stdout.find(/Ctrl-C/);
    child.kill('SIGKILL');
    await child.exited;
    const lines = stdout.text.split('\n').filter((line) => /--run-as/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^commands +run as \S+, like svc up, and can read its data; as root, use --run-as <user> /,
    );
  });
});

onLinux('svc hub', () => {
  test('shows its environment and memory to no other process of its user', async () => {
    giveToNobody(folder.path);
    const child = startSvc(['hub', '--port', '0'], {
      cwd: folder.path,
      env: { SVC_DATA_DIR: join(folder.path, 'data'), SVC_MASTER_KEY: MASTER_KEY },
      wrapper: AS_NOBODY,
    });
    await new Lines(child.stderr).find(/the hub listens/);
    const { stdout } = Bun.spawnSync([...AS_NOBODY, 'sh', LOOK, String(child.pid)]);
    child.kill('SIGKILL');
    await child.exited;
    expect(stdout.toString()).toContain('environ denied\ncmdline clean\nmem denied\nfd denied\n');
  });
});

describe('a user that commands cannot have is reported in a sentence', () => {
  const agent = (user: string, wrapper: readonly string[]) => {
    writeFileSync(join(folder.path, 'svc.yaml'), configText([{ name: 'hello', command: 'echo hello' }]));
    return runSvc(['agent', '--run-as', user, '--token', 'x'], { cwd: folder.path, wrapper });
  };

  test('by a user other than root', async () => {
    const { exitCode, stderr } = await agent('nobody', AS_NOBODY);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--run-as nobody needs root');
  });

  test.skipIf(!isRoot).each([
    ['no-such-user', '--run-as: user "no-such-user" does not exist'],
    ['root', '--run-as root is root: expected an ordinary user'],
  ])('%s', async (user, message) => {
    const { exitCode, stderr } = await agent(user, []);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
