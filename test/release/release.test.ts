import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compileFor } from '../../tools/release/binaries.ts';
import { debPackage } from '../../tools/release/deb.ts';
import { imagePackages } from '../../tools/release/image-packages.ts';
import { run } from '../../tools/release/run.ts';
import { TARGETS } from '../../tools/release/targets.ts';
import { AS_NOBODY } from '../as-nobody.ts';
import { configText } from '../config-text.ts';
import { underLoad } from '../deploy/call-load.ts';
import { freePort } from '../free-port.ts';
import { Lines } from '../lines.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { BootedRoot } from './booted-root.ts';
import { muslLibraries } from './musl-libraries.ts';
import { makeRelease, type ReleaseWorld, releaseWorld, whyNoRelease } from './release-world.ts';

const WHY_NOT = whyNoRelease();
const NAME = WHY_NOT === undefined ? 'a release' : `a release (skipped: ${WHY_NOT})`;
const VERSION = '0.1.0';
const MINUTES = 60_000;

describe.skipIf(WHY_NOT !== undefined)(NAME, () => {
  let world: ReleaseWorld;
  beforeAll(async () => {
    world = await releaseWorld();
  }, 15 * MINUTES);
  afterAll(() => world?.[Symbol.asyncDispose]());

  const install = (more = '') => `curl -fsS ${world.url}/install.sh | sh -s -- ${more}`;
  const files = async () =>
    (await world.inRoot('find / -xdev -not -path "/proc/*" -not -path "/tmp/*" | sort')).split('\n');
  /** The records of apt itself about earlier packages. */
  const isOfApt = (file: string) =>
    /^\/var\/(?:lib\/(?:dpkg|apt|systemd)|cache|log)\/|^\/etc\/.*-$/.test(file);

  test(
    'installs by one line, answers a call, and purging leaves nothing',
    async () => {
      const before = await files();
      expect(await world.inRoot(install())).toContain(`svc ${VERSION} is /usr/bin/svc`);
      expect((await world.inRoot('svc --version')).trim()).toBe(VERSION);
      expect(await world.inRoot('getent passwd svc svc-hub')).toMatch(
        /^svc:.*\/usr\/sbin\/nologin\nsvc-hub:/,
      );
      expect(await world.inRoot(CALL_ONCE)).toContain('Hello, Ada');
      await world.inRoot('apt-get purge -y -qq svc');
      expect((await files()).filter((file) => !before.includes(file) && !isOfApt(file))).toEqual([]);
      expect((await world.inRoot('getent passwd svc svc-hub || echo none')).trim()).toBe('none');
    },
    10 * MINUTES,
  );

  test(
    'installs from its apt repository, which apt verifies',
    async () => {
      copyFileSync(world.keyring, join(world.root, 'usr/share/keyrings/svc.gpg'));
      const list = join(world.root, 'etc/apt/sources.list.d/svc.list');
      writeFileSync(list, `deb [signed-by=/usr/share/keyrings/svc.gpg] ${world.url}/apt stable main\n`);
      const only = '-o Dir::Etc::sourcelist=sources.list.d/svc.list -o Dir::Etc::sourceparts=-';
      await world.inRoot(`apt-get update -qq ${only} && apt-get install -y -qq svc`);
      expect(await world.inRoot('dpkg-query -W svc')).toBe(`svc\t${VERSION}\n`);
      await world.inRoot('apt-get purge -y -qq svc');
      // A repository that another key signed is not believed.
      const release = join(world.folder, 'apt/dists/stable/InRelease');
      const good = readFileSync(release, 'utf8');
      writeFileSync(release, good.replace('Suite: stable', 'Suite: stablf'));
      const failed = world.inRoot(`apt-get update -qq ${only} 2>&1 | grep -q BADSIG && exit 3`);
      expect(await messageOf(failed)).toContain('ended with 3');
      writeFileSync(release, good);
    },
    10 * MINUTES,
  );

  test.each([
    ['minisign', 'true'],
    [
      'openssl',
      'mv /usr/bin/minisign /usr/bin/minisign.away; trap "mv /usr/bin/minisign.away /usr/bin/minisign" EXIT',
    ],
  ])(
    'the program alone is verified by %s, installed, and removed',
    async (_program, setUp) => {
      const into = '--prefix /opt/svc';
      expect(await world.inRoot(`${setUp}; ${install(into)}`)).toContain('/opt/svc/bin/svc');
      expect((await world.inRoot('/opt/svc/bin/svc --version')).trim()).toBe(VERSION);
      await world.inRoot(install(`${into} --uninstall`));
      expect(existsSync(join(world.root, 'opt/svc/bin/svc'))).toBe(false);
      for (const name of ['SHA256SUMS', `svc-${VERSION}-linux-x64.tar.zst`]) {
        const file = join(world.folder, name);
        const good = readFileSync(file);
        writeFileSync(file, Buffer.concat([good, Buffer.from('\n')]));
        const refused = await messageOf(world.inRoot(`${setUp}; ${install(into)}`));
        expect(refused).toContain('nothing was installed');
        writeFileSync(file, good);
        expect(existsSync(join(world.root, 'opt/svc/bin/svc'))).toBe(false);
      }
    },
    10 * MINUTES,
  );

  test(
    'the program upgrades itself from the release, and leaves a package to apt',
    async () => {
      await world.inRoot(install('--prefix /opt/svc'));
      expect(await world.inRoot('/opt/svc/bin/svc upgrade')).toBe(
        `newest  svc ${VERSION} is the newest release\n`,
      );
      const again = await world.inRoot(`/opt/svc/bin/svc upgrade --to ${VERSION}`);
      expect(again).toContain(`/opt/svc/bin/svc from ${VERSION} to ${VERSION}`);
      const both = '/opt/svc/bin/svc --version; /opt/svc/bin/svc.previous --version';
      expect(await world.inRoot(both)).toBe(`${VERSION}\n${VERSION}\n`);
      // A mirror is used, and verified with the key in the program.
      const mirror = world.inRoot('SVC_RELEASE_URL=http://127.0.0.1:1/x /opt/svc/bin/svc upgrade');
      expect(await messageOf(mirror)).toContain(
        'http://127.0.0.1:1/x/latest/SHA256SUMS could not be downloaded',
      );
      await world.inRoot(`rm -r /opt/svc; ${install()}`);
      const packaged = await messageOf(world.inRoot('svc upgrade'));
      expect(packaged).toContain('/usr/bin/svc belongs to apt, which upgrades it');
      expect(packaged).toContain('apt install --only-upgrade svc');
      await world.inRoot('apt-get purge -y -qq svc');
    },
    10 * MINUTES,
  );

  test(
    'an upgrade of the package under systemd fails no call, and purging stops the services',
    async () => {
      await using system = await BootedRoot.boot(world.root);
      await system.run(install());
      const url = `http://127.0.0.1:${await freePort()}`;
      await system.run(`svc hub install --hub-url ${url} --host 127.0.0.1 --port ${new URL(url).port}`);
      const key = await agentInstalled(system, world.root, url);
      const processes = () => Promise.all(UNITS.map((unit) => system.propertyOf(unit, 'MainPID')));
      const before = await processes();
      const binary = join(world.root, 'usr/bin/svc');
      const next = { version: '99.0.0', commit: 'c0ffee', epochS: 1_700_000_000, level: 1 };
      const architecture = run(['dpkg', '--print-architecture']).trim();
      const deb = debPackage({ ...next, folder: join(world.root, 'root') }, architecture, binary);
      const load = await underLoad({ url: `${url}/v1/ada/quick`, key, threads: 4 }, async () => {
        await system.run(`dpkg --install /root/${basename(deb)}`);
        // This command joins the start that the package began, and waits until it is done.
        await system.run('systemctl start svc-upgrade');
      });
      expect(load.failed).toEqual([]);
      expect(load.calls).toBeGreaterThan(20);
      expect(await system.run('dpkg-query -W svc')).toBe('svc\t99.0.0\n');
      const after = await processes();
      expect(after.filter((id, index) => id === '0' || id === before[index])).toEqual([]);
      // An agent makes this folder when its command leaves files.
      await system.run('mkdir --parents /var/lib/svc-agent-artifacts');
      await system.run('apt-get purge -y -qq svc');
      for (const unit of UNITS) expect(await system.propertyOf(unit, 'ActiveState')).toBe('inactive');
      const left = 'find / -xdev -name "*svc-hub*" -o -xdev -name "*svc-agent*" -o -xdev -path "/etc/svc*"';
      expect(await system.run(left)).toBe('');
    },
    5 * MINUTES,
  );

  test('has an rpm with the program, its units and its users', () => {
    const rpm = join(world.folder, `svc-${VERSION}-1.x86_64.rpm`);
    const listed = run(['rpm', '-qlp', '--nosignature', rpm]).split('\n');
    for (const file of [
      '/usr/bin/svc',
      '/usr/lib/systemd/system/svc-hub.service',
      '/usr/lib/sysusers.d/svc.conf',
    ])
      expect(listed).toContain(file);
    expect(run(['rpm', '-qp', '--scripts', '--nosignature', rpm])).toContain('systemd-sysusers svc.conf');
    expect(existsSync(join(world.folder, 'dnf/repodata/repomd.xml.asc'))).toBe(true);
  });

  test(
    'has the clients, and npm and Python take them as they are',
    async () => {
      await using project = await temporaryFolder();
      const npm = ['npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent'];
      run([...npm, join(world.folder, `svc-client-${VERSION}.tgz`)], { cwd: project.path });
      writeFileSync(join(project.path, 'try.mjs'), TRY_CLIENT);
      expect(run(['node', 'try.mjs'], { cwd: project.path })).toBe('TypeError ConnectionError\n');
      const wheel = join(world.folder, `svc_client-${VERSION}-py3-none-any.whl`);
      const python = 'import svc_client; print(svc_client.__version__)';
      expect(run(['python3', '-c', python], { env: { PYTHONPATH: wheel } })).toBe(`${VERSION}\n`);
      const source = run(['tar', '-tzf', join(world.folder, `svc_client-${VERSION}.tar.gz`)]);
      expect(source).toContain('svc_client/client.py\n');
    },
    5 * MINUTES,
  );

  test.each(Object.entries(OTHER_MACHINES))(
    'the program for %s starts here and answers a call',
    async (name, prepare) => {
      await using folder = await temporaryFolder();
      const target = TARGETS.find((one) => one.name === name);
      if (target === undefined) throw new Error(`no target ${name}`);
      const program = compileFor(target, folder.path, undefined);
      const { starter, env } = prepare(folder.path, program);
      writeFileSync(join(folder.path, 'svc.yaml'), ONE_ENDPOINT);
      const port = await freePort();
      const server = Bun.spawn(
        [...starter, program, 'serve', '--host', '127.0.0.1', '--port', String(port)],
        {
          cwd: folder.path,
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      try {
        const printed = new Lines(server.stdout);
        expect(await printed.find(/svc \d/)).toContain(`svc ${VERSION}`);
        await printed.find(/Ctrl-C/);
        const answer = await fetch(`http://127.0.0.1:${port}/hello`, {
          headers: { accept: 'application/json' },
        });
        expect(await answer.json()).toMatchObject({ output: 'Hello, Ada\n', exit_code: 0 });
      } finally {
        server.kill('SIGKILL');
        await server.exited;
      }
    },
    10 * MINUTES,
  );

  test(
    'has the same bytes from another folder, by another user, with another umask, on another date',
    async () => {
      await using other = await temporaryFolder();
      const [checkout, made, home] = ['elsewhere', 'made', 'home'].map((name) => join(other.path, name)) as [
        string,
        string,
        string,
      ];
      run(['git', 'clone', '--quiet', '.', checkout]);
      run(['sh', '-c', `git diff HEAD | git -C ${checkout} apply --allow-empty`]);
      mkdirSync(made);
      run(['cp', '-r', world.gpgHome, home]);
      const minisignKey = join(home, 'minisign.key');
      copyFileSync(world.minisignKey, minisignKey);
      copyFileSync(`${world.minisignKey}.pub`, `${minisignKey}.pub`);
      run(['chown', '--recursive', '65534:65534', other.path]);
      // After the change of the owner, because these are the files of this checkout.
      run([
        'sh',
        '-c',
        `cp -al node_modules ${checkout}/ && cp -al tools/release/node_modules ${checkout}/tools/release/ && for w in core hub agent cli web; do [ ! -d $w/node_modules ] || cp -al $w/node_modules ${checkout}/$w/; done`,
      ]);
      const folder = join(made, 'again');
      const umask = process.umask(0o077);
      try {
        const keys = { url: world.url, gpgHome: home, minisignKey };
        const env = { HOME: home, TZ: zoneOfAnotherDate() };
        await makeRelease(keys, folder, { checkout, wrapper: AS_NOBODY, env });
      } finally {
        process.umask(umask);
        run(['gpgconf', '--kill', 'all'], { env: { GNUPGHOME: home } });
      }
      const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
      expect(sums).toBe(readFileSync(join(world.folder, 'SHA256SUMS'), 'utf8'));
      for (const kind of [
        'image.tar',
        'amd64.deb',
        'x86_64.rpm',
        'docs-',
        'cdx.json',
        '.tgz',
        '.whl',
        'install.sh',
      ])
        expect(sums).toContain(kind);
      for (const file of ['SHA256SUMS.minisig', 'apt/dists/stable/InRelease', 'dnf/repodata/repomd.xml.asc'])
        expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(world.folder, file), 'utf8'));
    },
    10 * MINUTES,
  );
});

/** A time zone whose date now differs from the date in UTC. */
function zoneOfAnotherDate(): string {
  return new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';
}

const UNITS = ['svc-hub', 'svc-agent'];

/** Makes an account at the hub of a system, and installs an agent for it there. Returns an API key. */
async function agentInstalled(system: BootedRoot, root: string, url: string): Promise<string> {
  const made = await system.run(
    'runuser -u svc-hub -- env SVC_DATA_DIR=/var/lib/svc-hub svc admin bootstrap ada@example.com --username ada --json',
  );
  const { api_key: key, agent_token: token } = JSON.parse(made) as { api_key: string; agent_token: string };
  writeFileSync(join(root, 'etc/svc/svc.yaml'), configText([{ name: 'quick', command: 'echo ran' }]));
  writeFileSync(join(root, 'root/agent-token'), token, { mode: 0o600 });
  await system.run(`svc agent install --base-url ${url} --token-file /root/agent-token`);
  return key;
}

async function messageOf(failing: Promise<string>): Promise<string> {
  return await failing.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
}

interface Starter {
  /** The words before the name of the program that start it. */
  readonly starter: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How this machine starts programs of other machines. `folder` holds the libraries that `program` needs. */
const OTHER_MACHINES: Readonly<Record<string, (folder: string, program: string) => Starter>> = {
  'linux-arm64': (folder) => ({
    starter: ['qemu-aarch64-static', '-L', imagePackages(join(folder, 'packages'), 'arm64')],
  }),
  // A processor without AVX.
  'linux-x64-baseline': () => ({ starter: ['qemu-x86_64-static', '-cpu', 'Nehalem', '-L', '/'] }),
  'linux-x64-musl': (folder, program) => ({
    starter: [],
    env: { LD_LIBRARY_PATH: muslLibraries(folder, program) },
  }),
};

/** One mistake that the client finds, and one that the network does. */
const TRY_CLIENT = `
import { SvcClient } from '@svc/client';
const svc = new SvcClient({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
const nameOf = (target) => svc.call(target).then(() => 'none', (error) => error.name);
console.log(await nameOf('hello'), await nameOf('ada/hello'));
`;

const ONE_ENDPOINT = 'version: 1\nendpoints:\n  - name: hello\n    command: echo Hello, Ada\n';

/** Starts the server with the starter of `svc init` and calls its first endpoint. */
const CALL_ONCE = `
cd /tmp && rm -rf try && mkdir try && cd try
svc init >/dev/null
svc serve --port 8799 >log 2>&1 & server=$!
trap 'kill $server; cd /; rm -rf /tmp/try' EXIT
curl -fsS --retry 20 --retry-connrefused --retry-delay 1 -H 'accept: application/json' 'http://127.0.0.1:8799/hello?name=Ada'
`;
