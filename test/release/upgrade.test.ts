// svc upgrade against a server of static files with releases that the release tool packed and signed.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentService, besideUnit } from '@svc/cli/upgrade/agent-service';
import { type UpgradeSettings, upgradeProgram } from '@svc/cli/upgrade/upgrade';
import { archive } from '../../tools/release/archives.ts';
import { sign, writeChecksums } from '../../tools/release/checksums.ts';
import { publicKeyOf } from '../../tools/release/installer.ts';
import { run } from '../../tools/release/run.ts';
import { configText } from '../config-text.ts';
import { deployText } from '../deploy/deploy-files.ts';
import { hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

const MISSING = ['minisign', 'zstd'].filter((program) => Bun.which(program) === null).join(', ');
const NAME = MISSING === '' ? 'svc upgrade' : `svc upgrade (skipped: ${MISSING} not installed)`;
const TARGET = 'linux-x64';
const SVC = join(import.meta.dir, '..', '..', 'cli', 'svc.ts');

describe.skipIf(MISSING !== '')(NAME, () => {
  let folder: TemporaryFolder;
  let server: ReturnType<typeof Bun.serve>;
  let program: string;
  /** What the server does instead of sending a file. */
  let instead: ((path: string) => Response | undefined) | undefined;
  beforeEach(async () => {
    folder = await temporaryFolder();
    instead = undefined;
    makeKey('a');
    mkdirSync(path('bin'));
    program = path('bin/svc');
    writeFileSync(program, programText('1.0.0'), { mode: 0o755 });
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        const file = new URL(request.url).pathname;
        const bytes = await Bun.file(path(`releases${file}`))
          .bytes()
          .catch(() => undefined);
        return (
          instead?.(file) ??
          (bytes === undefined ? new Response('', { status: 404 }) : new Response(bytes as BodyInit))
        );
      },
    });
  });
  afterEach(async () => {
    await server.stop(true);
    await folder[Symbol.asyncDispose]();
  });

  const path = (name: string) => join(folder.path, name);
  const makeKey = (name: string) =>
    run(['minisign', '-G', '-W', '-f', '-s', path(name), '-p', path(`${name}.pub`)]);
  /** A program that says its version, and otherwise is this svc. */
  const programText = (version: string, agent = `exec ${process.execPath} ${SVC} "$@"`) =>
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else ${agent}; fi\n`;

  /** Packs and signs a release, and makes it the newest. */
  function release(version: string, { key = 'a', text = programText(version), comment = version } = {}) {
    const at = path(`releases/${version}`);
    mkdirSync(at, { recursive: true });
    const made = { version, commit: '0'.repeat(40), epochS: 1_700_000_000, folder: at, level: 3 };
    writeFileSync(path('svc'), text, { mode: 0o755 });
    const files = [archive(made, { name: TARGET, os: 'linux', runtime: '' }, [path('svc')])];
    const [sums] = writeChecksums(made, files);
    sign({ ...made, version: comment }, path(key), [sums]);
    rmSync(path('releases/latest'), { force: true });
    symlinkSync(version, path('releases/latest'));
  }

  const upgrade = (more: Partial<UpgradeSettings> = {}) =>
    upgradeProgram({
      program,
      version: '1.0.0',
      target: TARGET,
      source: { url: `http://127.0.0.1:${server.port}/`, key: publicKeyOf(folder.path, path('a')) },
      service: undefined,
      ...more,
    });
  const versionOf = (file: string) => run([file, '--version']).trim();
  /** The message of a refused upgrade, after which the folder of the program is as it was. */
  async function refused(more: Partial<UpgradeSettings> = {}): Promise<string> {
    const message = await upgrade(more).then(
      () => 'it was not refused',
      (error: Error) => error.message,
    );
    expect(readdirSync(dirname(program))).toEqual(['svc']);
    expect(versionOf(program)).toBe('1.0.0');
    return message;
  }

  test('replaces the program by the newest release, and keeps the replaced one', async () => {
    release('1.0.9');
    release('1.0.10');
    chmodSync(program, 0o750);
    expect((await upgrade()).map(({ label }) => label)).toEqual(['upgraded', 'kept']);
    expect(readdirSync(dirname(program)).sort()).toEqual(['svc', 'svc.previous']);
    expect([versionOf(program), versionOf(`${program}.previous`)]).toEqual(['1.0.10', '1.0.0']);
    expect(run(['stat', '-c', '%a', program])).toBe('750\n');
  });

  test('goes back only to a version that is named', async () => {
    release('0.9.0');
    expect((await upgrade())[0]?.text).toContain('svc upgrade --to 0.9.0 installs that one');
    expect(versionOf(program)).toBe('1.0.0');
    await upgrade({ to: '0.9.0' });
    expect(versionOf(program)).toBe('0.9.0');
  });

  test('with --check only says what it would do', async () => {
    release('1.1.0');
    expect(await upgrade({ check: true })).toEqual([{ label: 'newer', text: 'svc 1.1.0; this is 1.0.0' }]);
    expect(readdirSync(dirname(program))).toEqual(['svc']);
    release('1.0.0');
    expect((await upgrade({ check: true }))[0]?.label).toBe('newest');
  });

  test.each([
    [
      'SHA256SUMS that were changed',
      () =>
        writeFileSync(path('releases/1.1.0/SHA256SUMS'), `${'0'.repeat(64)}  svc-1.1.0-linux-x64.tar.zst\n`),
      /^the signature of SHA256SUMS is wrong: nothing was changed$/,
    ],
    [
      'a version that was changed in the comment',
      () => replaceIn('releases/1.1.0/SHA256SUMS.minisig', 'svc 1.1.0', 'svc 1.2.0'),
      /^the signature of SHA256SUMS is wrong/,
    ],
    [
      'a signature that is none',
      () => writeFileSync(path('releases/1.1.0/SHA256SUMS.minisig'), '<html>\n'),
      /is not a signature of minisign/,
    ],
    [
      'an archive that was changed',
      () => appendTo('releases/1.1.0/svc-1.1.0-linux-x64.tar.zst'),
      /svc-1\.1\.0-linux-x64\.tar\.zst is not the file that was released: nothing was changed$/,
    ],
    [
      'an archive that is not there',
      () => rmSync(path('releases/1.1.0/svc-1.1.0-linux-x64.tar.zst')),
      /could not be downloaded \(the server answered 404\): nothing was changed$/,
    ],
    [
      'a download that is cut off',
      () => {
        instead = (file) => (file.endsWith('.zst') ? cutOff() : undefined);
      },
      /could not be downloaded|is not the file that was released/,
    ],
    [
      'a release that another key signed',
      () => {
        makeKey('b');
        release('1.1.0', { key: 'b' });
      },
      /^the key [0-9A-F]{16} signed the release, and this program trusts only [0-9A-F]{16}: nothing was changed$/,
    ],
    [
      'a program that does not start',
      () => release('1.1.0', { text: '#!/no/such/loader\n' }),
      /^svc 1\.1\.0 does not start here \(.*\): nothing was changed$/,
    ],
    [
      'a server without releases',
      () => rmSync(path('releases'), { recursive: true }),
      /latest\/SHA256SUMS could not be downloaded/,
    ],
  ])('changes nothing for %s', async (_name, damage, message) => {
    release('1.1.0');
    damage();
    expect(await refused()).toMatch(message);
  });

  const replaceIn = (file: string, from: string, to: string) =>
    writeFileSync(path(file), readFileSync(path(file), 'utf8').replace(from, to));
  const appendTo = (file: string) =>
    writeFileSync(path(file), [readFileSync(path(file), 'latin1'), '\n'].join(''), 'latin1');
  /** The head announces more than the body has. */
  const cutOff = () =>
    new Response(
      new ReadableStream({
        start(stream) {
          stream.enqueue(new Uint8Array(100));
          stream.error(new Error('cut off'));
        },
      }),
      { headers: { 'content-length': '100000' } },
    );

  test('removes what an interrupted upgrade left, but not while that one runs', async () => {
    release('1.1.0');
    const id = crypto.randomUUID();
    const left = [`bin/.svc.999999999.${id}`, `bin/.svc.previous.999999999.${id}`];
    for (const name of left) writeFileSync(path(name), 'half a program');
    writeFileSync(path('bin/.svc.mine'), 'of a person');
    await using other = Bun.spawn(['sh', '-c', 'read line', 'svc', 'upgrade'], { stdin: 'pipe' });
    const running = path(`bin/.svc.${other.pid}.${id}`);
    writeFileSync(running, 'a program');
    const before = readdirSync(dirname(program));
    const message = await upgrade().then(
      () => 'it was not refused',
      (error: Error) => error.message,
    );
    expect(message).toBe(`another svc upgrade runs, process ${other.pid}: nothing was changed`);
    expect(readdirSync(dirname(program))).toEqual(before);
    other.kill();
    await other.exited;
    await upgrade();
    expect(readdirSync(dirname(program)).sort()).toEqual(['.svc.mine', 'svc', 'svc.previous']);
  });

  test('does not take an earlier release for the version that is named', async () => {
    release('0.9.0');
    symlinkSync('0.9.0', path('releases/1.1.0'));
    expect(await refused({ to: '1.1.0' })).toBe(
      'the signature belongs to "svc 0.9.0 SHA256SUMS" and not to 1.1.0: nothing was changed',
    );
    expect(await refused({ to: '../1.1.0' })).toContain('one as 1.2.3 expected');
  });

  test.skipIf(process.getuid?.() !== 0).each([
    ['full', 'size=16k', undefined, /the disk is full\. Nothing was changed$/],
    ['read-only', 'size=1m', 'ro', /its folder is read-only\. Nothing was changed$/],
  ])('changes nothing on a disk that is %s', async (_name, options, later, message) => {
    release('1.1.0', { text: `${programText('1.1.0')}#${'x'.repeat(100_000)}\n` });
    const disk = path('disk');
    mkdirSync(disk);
    run(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
    try {
      program = join(disk, 'svc');
      writeFileSync(program, programText('1.0.0'), { mode: 0o755 });
      if (later !== undefined) run(['mount', '-o', `remount,${later}`, disk]);
      expect(await refused({ program })).toMatch(message);
    } finally {
      run(['umount', '--lazy', disk]);
    }
  });

  /** The service as systemd runs it: processes that start what has the name of the program at that moment. */
  async function serviceOf(hubUrl: string, token: string): Promise<AgentService & AsyncDisposable> {
    writeFileSync(path('svc.yaml'), configText([{ name: 'hello', command: 'echo hello' }]));
    const start = async (file: string) => {
      const child = Bun.spawn([file, 'agent', '--state-dir', path('state')], {
        cwd: folder.path,
        env: { ...process.env, SVC_TOKEN: token, SVC_BASE_URL: hubUrl },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await new Lines(child.stdout).find(/^online /);
      const stop = async () => {
        child.kill('SIGTERM');
        await child.exited;
      };
      return { stop, [Symbol.asyncDispose]: stop };
    };
    let main = await start(program);
    return {
      startBeside: start,
      async restart() {
        await main.stop();
        main = await start(program);
      },
      [Symbol.asyncDispose]: async () => await main.stop(),
    };
  }

  test('an agent that is called all the time is replaced, or stays, without a failed call', async () => {
    await using hub = await hubWorld();
    await using service = await serviceOf(hub.hub.hubUrl, hub.start.agentToken);
    let isOver = false;
    const statuses: number[] = [];
    const call = async () => {
      while (!isOver) statuses.push((await hub.call('hello')).status);
    };
    const calling = Promise.all([call(), call(), call()]);
    const through = async (work: Promise<unknown>) => {
      const before = statuses.length;
      const settled = await work.then(
        () => 'upgraded',
        (error: Error) => error.message,
      );
      await until(() => statuses.length > before + 10);
      return settled;
    };
    try {
      release('1.1.0');
      expect(await through(upgrade({ service }))).toBe('upgraded');
      expect(versionOf(program)).toBe('1.1.0');
      // One that never connects, and one that does so beside the service and not as the service.
      release('1.2.0', { text: programText('1.2.0', 'exit 1') });
      expect(await through(upgrade({ service, version: '1.1.0' }))).toBe(
        'the hub did not greet an agent of the new version: svc 1.1.0 runs as before',
      );
      expect(versionOf(program)).toBe('1.1.0');
      const onlyBeside = `case "$0" in */svc) exit 1 ;; *) exec ${process.execPath} ${SVC} "$@" ;; esac`;
      release('1.3.0', { text: programText('1.3.0', onlyBeside) });
      expect(await through(upgrade({ service, version: '1.1.0' }))).toBe(
        'the service did not start with the new version: svc 1.1.0 runs as before',
      );
      expect(versionOf(program)).toBe('1.1.0');
    } finally {
      isOver = true;
      await calling;
    }
    expect([...new Set(statuses)]).toEqual([200]);
  });

  test('the unit of the second agent differs in its program only', () => {
    const unit = deployText('systemd/svc-agent.service');
    const beside = besideUnit(unit, '/usr/local/bin/svc', '/usr/local/bin/.svc.x');
    expect(beside).toContain('\nExecStart=/usr/local/bin/.svc.x agent --config /etc/svc/svc.yaml');
    expect(beside.replace('\nExecStart=/usr/local/bin/.svc.x ', '\nExecStart=/usr/local/bin/svc ')).toBe(
      `${unit}\n[Service]\nRestart=no\nRuntimeMaxSec=2h\n`,
    );
  });
});
