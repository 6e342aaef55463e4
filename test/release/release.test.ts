import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFor } from '../../tools/release/binaries.ts';
import { imagePackages } from '../../tools/release/image-packages.ts';
import { run } from '../../tools/release/run.ts';
import { TARGETS } from '../../tools/release/targets.ts';
import { freePort } from '../free-port.ts';
import { Lines } from '../lines.ts';
import { temporaryFolder } from '../temporary-folder.ts';
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
    'has the same bytes from another folder, with another umask',
    async () => {
      await using other = await temporaryFolder();
      const checkout = join(other.path, 'elsewhere');
      run(['git', 'clone', '--quiet', '.', checkout]);
      run(['sh', '-c', `git diff HEAD | git -C ${checkout} apply --allow-empty`]);
      run([
        'sh',
        '-c',
        `cp -al node_modules ${checkout}/ && cp -al tools/release/node_modules ${checkout}/tools/release/ && for w in core hub agent cli web; do [ ! -d $w/node_modules ] || cp -al $w/node_modules ${checkout}/$w/; done`,
      ]);
      const folder = join(other.path, 'again');
      const umask = process.umask(0o077);
      try {
        await makeRelease(world, folder, checkout);
      } finally {
        process.umask(umask);
      }
      const sums = (from: string) => readFileSync(join(from, 'SHA256SUMS'), 'utf8');
      expect(sums(folder)).toBe(sums(world.folder));
      for (const file of ['SHA256SUMS.minisig', 'apt/dists/stable/InRelease', 'dnf/repodata/repomd.xml'])
        expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(world.folder, file), 'utf8'));
    },
    10 * MINUTES,
  );
});

async function messageOf(failing: Promise<string>): Promise<string> {
  return await failing.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
}

interface Starter {
  /** Starts the program, before its name. */
  readonly starter: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How this machine starts programs of other machines; `folder` is for what that needs of `program`. */
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
