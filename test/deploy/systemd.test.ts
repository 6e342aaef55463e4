// deploy/systemd: units that systemd takes without a word, as strict as each can be, with command lines that svc takes.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AgentProgram } from '../agent-program.ts';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { DEPLOY, deployText, filesIn } from './deploy-files.ts';
import { hubVariables } from './hub-variables.ts';

setDefaultTimeout(60_000);

const UNITS = filesIn('systemd').map((path) => basename(path));
/** Units stand on others, such as network-online.target. */
const MACHINES_UNITS = '/usr/lib/systemd/system';
const MISSING =
  Bun.which('systemd-analyze') === null
    ? 'systemd-analyze is not installed (Debian package systemd)'
    : undefined;
/**
 * The highest score of `systemd-analyze security`, of 100. The agent is root with six capabilities, to run commands as a user
 * of their own, and to read the files that they leave; the runner host is root with all of them.
 */
const EXPOSURE = {
  'svc-hub.service': 15,
  'svc-agent.service': 77,
  'svc-runner.service': 95,
  'svc-upgrade.service': 50,
} as const;

let root: TemporaryFolder;
beforeAll(async () => {
  root = await temporaryFolder();
  mkdirSync(join(root.path, 'usr/local/bin'), { recursive: true });
  writeFileSync(join(root.path, 'usr/local/bin/svc'), '');
  chmodSync(join(root.path, 'usr/local/bin/svc'), 0o755);
  if (existsSync(MACHINES_UNITS))
    cpSync(MACHINES_UNITS, join(root.path, MACHINES_UNITS), { recursive: true, verbatimSymlinks: true });
  cpSync(join(DEPLOY, 'systemd'), join(root.path, 'etc/systemd/system'), { recursive: true });
});
afterAll(() => root[Symbol.asyncDispose]());

async function analyze(...args: string[]) {
  const child = Bun.spawn(['systemd-analyze', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, text: `${stdout}${stderr}` };
}

const verify = (unit: string) => analyze('verify', '--recursive-errors=yes', `--root=${root.path}`, unit);

describe.skipIf(MISSING !== undefined)(`systemd${MISSING ? ` (skipped: ${MISSING})` : ''}`, () => {
  test.each(UNITS)('takes %s without a word', async (unit) => {
    expect(await verify(unit)).toEqual({ exitCode: 0, text: '' });
  });

  test('says what is wrong with a unit that has a mistake in it', async () => {
    const text = deployText('systemd/svc-hub.service').replace('Restart=', 'Restrat=');
    writeFileSync(join(root.path, 'etc/systemd/system/svc-wrong.service'), text);
    expect((await verify('svc-wrong.service')).text).toContain("Unknown key 'Restrat'");
  });

  test.each(Object.entries(EXPOSURE))('finds %s as strict as it can be', async (unit, most) => {
    const file = join(DEPLOY, 'systemd', unit);
    const found = await analyze('security', '--offline=true', `--threshold=${most}`, '--no-pager', file);
    expect(found.text).toContain('Overall exposure level');
    expect(found.exitCode).toBe(0);
  });
});

test('every unit has a limit of its own for how strict it is', () => {
  expect(Object.keys(EXPOSURE).toSorted()).toEqual(UNITS.toSorted());
});

/** The words of `ExecStart=`, without the program, with the folders of a test in the place of those of the machine. */
function commandOf(unit: string, folders: Readonly<Record<string, string>>): string[] {
  const [, line = ''] = /^ExecStart=\/usr\/local\/bin\/svc (.*)$/m.exec(deployText(`systemd/${unit}`)) ?? [];
  return line
    .split(' ')
    .map((word) => Object.entries(folders).reduce((text, [from, to]) => text.replace(from, to), word));
}

test('the command line of the hub is valid, and sets only variables that it reads', async () => {
  const [command = '', ...args] = commandOf('svc-hub.service', {});
  const env = { SVC_DATA_DIR: join(root.path, 'data') };
  const printed = await runSvc([command, ...args, '--print-config'], { cwd: root.path, env });
  expect(JSON.parse(printed.stdout)).toMatchObject({ dataDir: env.SVC_DATA_DIR });
  const received = [...deployText('systemd/svc-hub.service').matchAll(/^Environment=(\w+)=/gm)];
  const known = hubVariables();
  expect(received.map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
});

/** Starts a program with the capabilities of a unit. */
function capabilitiesOf(unit: string): string[] {
  const [, names = ''] = /^CapabilityBoundingSet=(.*)$/m.exec(deployText(`systemd/${unit}`)) ?? [];
  const kept = names.split(' ').map((name) => `+${name.replace('CAP_', '').toLowerCase()}`);
  return ['setpriv', `--bounding-set=-all,${kept.join(',')}`, '--inh-caps=-all', '--no-new-privs'];
}

const isRoot = process.getuid?.() === 0;
test.skipIf(!isRoot)(
  'the command line of the agent connects one, and its capabilities are enough',
  async () => {
    const command =
      'id -u; cat credentials/svc-token; grep CapEff /proc/self/status; setsid sleep 300 & sleep 300';
    await using program = await AgentProgram.make([{ name: 'hello', command }]);
    chmodSync(program.folder, 0o755);
    mkdirSync(join(program.folder, 'credentials'), { mode: 0o700 });
    writeFileSync(join(program.folder, 'credentials/svc-token'), program.token, { mode: 0o400 });
    const [, ...args] = commandOf('svc-agent.service', {
      '/etc/svc': program.folder,
      '%S': join(program.folder, 'lib'),
    });
    const asNobody = args.map((word) => (word === 'svc' ? 'nobody' : word));
    const env = { CREDENTIALS_DIRECTORY: join(program.folder, 'credentials') };
    const more = { wrapper: capabilitiesOf('svc-agent.service'), withoutToken: true } as const;
    const agent = await program.connect(asNobody, env, more);
    const { hub } = program;
    const id = hub.run('hello');
    await hub.until(() => hub.record(id).output.includes('CapEff'));
    expect(hub.record(id).output).toMatch(/^65534\n.*Permission denied\nCapEff:\t0+\n$/);
    hub.send({ type: 'cancel', execution_id: id });
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'cancelled' });
    agent.signal('SIGTERM');
    expect(await agent.exited).toBe(0);
  },
);

test.skipIf(!isRoot)(
  'the capabilities of the agent are enough to read and remove what commands leave',
  async () => {
    chmodSync(root.path, 0o755);
    const child = Bun.spawn(
      [...capabilitiesOf('svc-agent.service'), process.execPath, join(import.meta.dir, 'leave-files.ts')],
      { cwd: root.path, stdout: 'pipe', stderr: 'pipe' },
    );
    const [text, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(errors).toBe('');
    expect(JSON.parse(text)).toEqual({
      collected: { found: [{ name: 'folder/private', size: 2 }], missing: [] },
      left: ['false', 'false'],
      troubles: [],
    });
  },
);

test('the command line of a runner host is valid: missing settings are reported after it was read', async () => {
  const [command = '', ...args] = commandOf('svc-runner.service', { '%S': root.path });
  const host = await runSvc([command, ...args], { cwd: root.path, env: { SVC_DATA_DIR: root.path } });
  expect([host.exitCode, host.stderr]).toEqual([2, expect.stringContaining('--token-file')]);
});
