// svc agent install and svc hub install into the image of a system: files, modes and units as systemd takes them, a second
// run without a change, and nothing left after --uninstall.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { launchdFiles, plistText } from '@svc/cli/install/launchd';
import { formToken, tokenKind } from '@svc/core/token/token';
import { hubWorld } from '../hub-world.ts';
import { runSvc } from '../program.ts';
import { ScriptedAgent } from '../scripted-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { deployText } from './deploy-files.ts';

setDefaultTimeout(60_000);

const WHY_NOT =
  process.getuid?.() !== 0
    ? 'needs root'
    : ['useradd', 'systemctl', 'systemd-analyze'].find((program) => Bun.which(program) === null);
const TOKEN = formToken('agent_token', new Uint8Array(32).fill(7));
const HUB = 'https://svc.example.com/';

let folder: TemporaryFolder;
let root: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  root = join(folder.path, 'root');
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  writeFileSync(join(folder.path, 'token'), `${TOKEN}\n`, { mode: 0o600 });
});
afterEach(() => folder[Symbol.asyncDispose]());

const svc = (...args: string[]) =>
  runSvc([...args, '--root', root], { cwd: folder.path, env: { SVC_BASE_URL: '' } });
const installAgent = (...more: string[]) =>
  svc('agent', 'install', '--base-url', 'https://svc.example.com', '--token-file', 'token', ...more);
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const mode = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
/** Every file of the image with its content, apart from the users, which useradd keeps twice. */
const snapshot = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !/^(?:passwd|group|shadow|gshadow|subuid|subgid)-?$/.test(entry.name),
    )
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')])
    .toSorted();

/** What systemd says about the unit in the image; the units of this machine are there too, because ours name some. */
function verify(unit: string): string {
  const units = 'usr/lib/systemd/system';
  if (existsSync(`/${units}`))
    cpSync(`/${units}`, join(root, units), { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  writeFileSync(join(root, 'usr/local/bin/svc'), '', { mode: 0o755 });
  const { stdout, stderr } = Bun.spawnSync([
    'systemd-analyze',
    ...['verify', '--recursive-errors=yes', `--root=${root}`, unit],
  ]);
  return `${stdout}${stderr}`;
}

describe.skipIf(WHY_NOT !== undefined)(`an image${WHY_NOT ? ` (skipped: ${WHY_NOT})` : ''}`, () => {
  test('gets an agent: user, settings, token and unit, enabled; a second run changes nothing', async () => {
    expect(await installAgent('--name', 'build-1')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text('etc/passwd')).toMatch(/^svc:[x!]:\d+:\d+::\/etc\/svc:\/usr\/sbin\/nologin$/m);
    expect([text('etc/svc/agent-token'), mode('etc/svc/agent-token')]).toEqual([`${TOKEN}\n`, '600']);
    expect(text('etc/svc/agent.env')).toBe(`SVC_BASE_URL=${HUB}\nSVC_AGENT_NAME=build-1\n`);
    expect([mode('etc/svc'), mode('etc/svc/agent.env'), mode('etc/svc/svc.yaml')]).toEqual([
      '755',
      '600',
      '644',
    ]);
    expect(existsSync(join(root, 'etc/systemd/system/multi-user.target.wants'))).toBe(true);
    const ours = deployText('systemd/svc-agent.service');
    expect(text('etc/systemd/system/svc-agent.service')).toEndWith(ours.slice(ours.indexOf('[Unit]')));
    const before = snapshot();
    const again = await svc('agent', 'install');
    expect(again.stdout).not.toMatch(/^did /m);
    expect([again.exitCode, snapshot()]).toEqual([0, before]);
    expect(before.filter(([, content = '']) => content.includes(TOKEN)).map(([path]) => path)).toEqual([
      join(root, 'etc/svc/agent-token'),
    ]);
    expect(verify('svc-agent.service')).toBe('');
  });

  test('gets the agent token that an enrolment token is exchanged for, once', async () => {
    await using world = await hubWorld();
    const { hubUrl } = world.hub;
    const enrolment = { method: 'POST', body: JSON.stringify({ name: 'build server', enrolment: true }) };
    const headers = { 'content-type': 'application/json' };
    const made = (await (await world.manage('/agent-tokens', { ...enrolment, headers })).json()) as {
      token: string;
    };
    writeFileSync(join(folder.path, 'token'), `${made.token}\n`, { mode: 0o600 });
    const install = ['agent', 'install', '--base-url', hubUrl, '--token-file', 'token'];
    // Only looking does not use it up.
    expect((await svc(...install, '--dry-run')).exitCode).toBe(0);
    // Nor does a step that fails before: a folder has the name of the unit.
    const unit = join(root, 'etc/systemd/system/svc-agent.service');
    mkdirSync(unit, { recursive: true });
    expect((await svc(...install)).stdout).toContain('make the system user svc');
    expect(existsSync(join(root, 'etc/svc/agent-token'))).toBe(false);
    rmSync(unit, { recursive: true });
    expect(await svc(...install)).toMatchObject({ exitCode: 0, stderr: '' });
    const token = text('etc/svc/agent-token').trim();
    expect([tokenKind(token), mode('etc/svc/agent-token')]).toEqual(['agent_token', '600']);
    await using _agent = await ScriptedAgent.connect({ hubUrl, token, endpoints: [] });
    const before = snapshot();
    const again = await svc(...install);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining(
        'this enrolment token is unknown, was used or has expired: the token and the service stay as they were',
      ),
    ]);
    expect(snapshot()).toEqual(before);
  });

  test('has nothing of the agent after --uninstall but a config file that a person changed', async () => {
    const before = snapshot();
    await installAgent();
    expect((await svc('agent', 'install', '--uninstall')).exitCode).toBe(0);
    expect(snapshot()).toEqual(before);
    expect(existsSync(join(root, 'etc/svc'))).toBe(false);
    expect(text('etc/passwd') + text('etc/group')).not.toContain('svc');
    await installAgent();
    writeFileSync(join(root, 'etc/svc/svc.yaml'), 'version: 1\nendpoints: []\n');
    expect((await svc('agent', 'install', '--uninstall')).stdout).toContain('svc.yaml, which is yours');
    expect(snapshot().map(([path]) => path)).toEqual([
      ...before.map(([path]) => path),
      join(root, 'etc/svc/svc.yaml'),
    ]);
  });

  test('is not touched by --dry-run, by a wrong token or by another config file', async () => {
    const before = snapshot();
    const dry = await installAgent('--dry-run');
    expect(dry.stdout).toContain(`would     write ${root}/etc/svc/agent-token (mode 0600)\n`);
    expect(dry.stdout).not.toContain(TOKEN);
    writeFileSync(join(folder.path, 'key'), 'svc_at_wrong', { mode: 0o600 });
    const wrong = await svc('agent', 'install', '--base-url', HUB, '--token-file', 'key');
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('is not an agent token')]);
    expect(snapshot()).toEqual(before);
    await installAgent();
    writeFileSync(join(folder.path, 'mine.yaml'), 'version: 1\nendpoints: [{name: a, command: id}]\n');
    const other = await installAgent('--config', 'mine.yaml');
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('already exists')]);
    expect((await installAgent('--config', 'mine.yaml', '--force')).exitCode).toBe(0);
    expect(text('etc/svc/svc.yaml')).toContain('name: a');
  });

  test('uses the unit of a package, and leaves it and its users there', async () => {
    mkdirSync(join(root, 'usr/lib/systemd/system'), { recursive: true });
    mkdirSync(join(root, 'usr/lib/sysusers.d'), { recursive: true });
    writeFileSync(join(root, 'usr/lib/sysusers.d/svc.conf'), '');
    writeFileSync(
      join(root, 'usr/lib/systemd/system/svc-agent.service'),
      deployText('systemd/svc-agent.service'),
    );
    expect((await installAgent()).exitCode).toBe(0);
    expect(existsSync(join(root, 'etc/systemd/system/svc-agent.service'))).toBe(false);
    expect((await svc('agent', 'install', '--uninstall')).exitCode).toBe(0);
    expect(existsSync(join(root, 'usr/lib/systemd/system/svc-agent.service'))).toBe(true);
    expect(text('etc/passwd')).toContain('svc:');
  });

  test('gets a hub, which keeps other settings, and keeps its data when it is removed', async () => {
    const hub = (...more: string[]) => svc('hub', 'install', ...more);
    expect((await hub()).stderr).toContain('--hub-url is missing');
    expect(await hub('--hub-url', 'https://svc.example.com', '--port', '9000')).toMatchObject({
      exitCode: 0,
    });
    writeFileSync(join(root, 'etc/svc/hub.env'), `${text('etc/svc/hub.env')}SVC_SIGNUP=invited\n`);
    expect((await hub('--port', '9001')).exitCode).toBe(0);
    expect(text('etc/svc/hub.env').split('\n').toSorted()).toEqual([
      '',
      'SVC_HUB_URL=https://svc.example.com',
      'SVC_PORT=9001',
      'SVC_SIGNUP=invited',
    ]);
    expect(verify('svc-hub.service')).toBe('');
    expect((await hub('--uninstall')).stdout).toContain('with all data and keys');
    expect(existsSync(join(root, 'etc/systemd/system/svc-hub.service'))).toBe(false);
    expect(mode('etc/svc/hub.env')).toBe('600');
  });
});

test('the property list for macOS is one, and has the token in neither arguments nor environment', () => {
  const files = launchdFiles('/Users/a & b');
  const plist = plistText(files, { program: '/usr/local/bin/svc', baseUrl: HUB, name: 'mac' });
  expect(plist).toContain('<string>/Users/a &amp; b/Library/Application Support/svc/agent-token</string>');
  const words = [...plist.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)].filter(([, , name]) => name !== 'xml');
  const open: string[] = [];
  for (const [, close, name = '', single] of words)
    if (close) expect(open.pop()).toBe(name);
    else if (!single) open.push(name);
  expect(open).toEqual([]);
  expect(plist).not.toContain('svc_at_');
});

test.skipIf(Bun.which('python3') === null)(
  'a parser of property lists reads the values of that for macOS',
  () => {
    const files = launchdFiles('/Users/a & <b>');
    const baseUrl = 'https://hub.example.com/?a=1&b=2';
    const plist = plistText(files, { program: '/usr/local/bin/svc', baseUrl, name: 'mac' });
    const script = 'import json, plistlib, sys; print(json.dumps(plistlib.load(sys.stdin.buffer)))';
    const { stdout, stderr } = Bun.spawnSync(['python3', '-c', script], { stdin: Buffer.from(plist) });
    expect(stderr.toString()).toBe('');
    expect(JSON.parse(stdout.toString())).toEqual({
      Label: 'dev.svc.agent',
      ProgramArguments: [
        ...['/usr/local/bin/svc', 'agent', '--config', files.config, '--token-file', files.token],
        ...['--state-dir', files.state],
      ],
      EnvironmentVariables: { SVC_BASE_URL: baseUrl, SVC_AGENT_NAME: 'mac' },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 3600,
      StandardOutPath: files.log,
      StandardErrorPath: files.log,
    });
  },
);
