import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { debPackage } from '../../tools/release/deb.ts';
import { run } from '../../tools/release/run.ts';
import { AS_NOBODY } from '../as-nobody.ts';
import { configText } from '../config-text.ts';
import { underLoad } from '../deploy/call-load.ts';
import { freePort } from '../free-port.ts';
import { Lines } from '../lines.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { BootedRoot } from './booted-root.ts';
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
  afterAll(() => world?.[Symbol.asyncDispose](), MINUTES);

  const install = (more = '') => `curl -fsS ${world.url}/install.sh | sh -s -- ${more}`;
  /** The block of install.md with this text in it, with the address of the release. */
  const documented = (text: string) => {
    const blocks = readFileSync('docs/operate/install.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
    const [, block] = [...blocks].find(([, lines = '']) => lines.includes(text)) ?? [];
    if (block === undefined) throw new Error(`install.md has no block with ${text}`);
    return block.replaceAll('URL', world.url);
  };
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
      const added = (await files()).filter((file) => !before.includes(file) && !isOfApt(file));
      const packaged = (await world.inRoot('dpkg --listfiles svc')).split('\n');
      expect(added.filter((file) => !packaged.includes(file))).toEqual([]);
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
    'brings its manual, the licenses, and completion for three shells',
    async () => {
      await world.inRoot(install());
      const completed = await world.inRoot(`bash -c '${COMPLETE_IN_BASH}'`);
      expect(completed.split('\n')).toEqual(['agent', 'agents', '']);
      for (const file of ['zsh/vendor-completions/_svc', 'fish/vendor_completions.d/svc.fish'])
        expect(readFileSync(join(world.root, 'usr/share', file), 'utf8')).toContain('svc completion words');
      const page = await world.inRoot('zcat /usr/share/man/man1/svc-call.1.gz');
      expect(page).toStartWith('.TH "SVC-CALL" "1"');
      const notice = await world.inRoot('cat /usr/share/doc/svc/NOTICE');
      expect(notice).toBe(await world.inRoot('svc licenses'));
      expect(notice).toContain('Bun and JavaScriptCore');
      await world.inRoot('apt-get purge -y -qq svc');
      const archive = run(['tar', '--zstd', '-tf', join(world.folder, `svc-${VERSION}-linux-x64.tar.zst`)]);
      expect(archive.split('\n').map((path) => basename(path))).toEqual(
        expect.arrayContaining(['LICENSE', 'NOTICE', 'README.md', 'svc']),
      );
    },
    10 * MINUTES,
  );

  test('states its origin and its parts in files that are signed', () => {
    const file = join(world.folder, `svc-${VERSION}.intoto.json`);
    run(['minisign', '-V', '-q', '-p', `${world.minisignKey}.pub`, '-m', file]);
    const { subject, predicate } = JSON.parse(readFileSync(file, 'utf8'));
    const sums = readFileSync(join(world.folder, 'SHA256SUMS'), 'utf8');
    const lines = subject.map(
      (one: { name: string; digest: { sha256: string } }) => `${one.digest.sha256}  ${one.name}\n`,
    );
    expect(lines.join('')).toBe(sums);
    const files = readdirSync(world.folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const unsigned = /^(?:SHA256SUMS(?:\.minisig)?|.*\.intoto\.json(?:\.minisig)?)$/;
    expect(
      files.map(({ name }) => name).filter((name) => !unsigned.test(name) && !sums.includes(name)),
    ).toEqual([]);
    const { gitCommit } = predicate.buildDefinition.resolvedDependencies[0].digest;
    expect(`${gitCommit}\n`).toBe(run(['git', 'rev-parse', 'HEAD']));
    const bill = JSON.parse(readFileSync(join(world.folder, `svc-${VERSION}.cdx.json`), 'utf8'));
    expect([bill.bomFormat, bill.metadata.component.name]).toEqual(['CycloneDX', 'svc']);
    const parts = bill.components as { name: string; version: string; hashes?: { content: string }[] }[];
    const named = parts.map(({ name, version }) => `${name}@${version}`);
    expect(named).toContain(`bun@${Bun.version}`);
    // `svc licenses` names the packages in the program, and the imports of the sources are compared with it.
    const licenses = run([process.execPath, 'cli/svc.ts', 'licenses']);
    const shipped = [...licenses.matchAll(/^((?:@[\w-]+\/)?[a-z][\w.-]*) (\d\S*) \(/gm)];
    expect(shipped.length).toBeGreaterThan(100);
    expect(named.slice(1).toSorted()).toEqual(
      shipped.map(([, name, version]) => `${name}@${version}`).toSorted(),
    );
    expect(parts.slice(1).filter((part) => part.hashes?.[0]?.content.length !== 128)).toEqual([]);
  });

  test(
    'installs from its apt repository, as the document says, and apt verifies it',
    async () => {
      await world.inRoot(documented('svc.list'));
      expect(await world.inRoot('dpkg-query -W svc')).toBe(`svc\t${VERSION}\n`);
      await world.inRoot('apt-get purge -y -qq svc');
      // A repository that another key signed is not believed.
      const release = join(world.folder, 'apt/dists/stable/InRelease');
      const good = readFileSync(release, 'utf8');
      writeFileSync(release, good.replace('Suite: stable', 'Suite: stablf'));
      const only = '-o Dir::Etc::sourcelist=sources.list.d/svc.list -o Dir::Etc::sourceparts=-';
      const failed = world.inRoot(`apt-get update -qq ${only} 2>&1 | grep -q BADSIG && exit 3`);
      expect(await messageOf(failed)).toContain('ended with 3');
      writeFileSync(release, good);
      rmSync(join(world.root, 'etc/apt/sources.list.d/svc.list'));
    },
    10 * MINUTES,
  );

  test(
    'installs from its dnf repository, as the document says, and dnf verifies it',
    async () => {
      tellRpmAboutDebian(world.root);
      await world.inRoot(documented('svc.repo'));
      expect(await world.inRoot('rpm --query svc')).toBe(`svc-${VERSION}-1.x86_64\n`);
      expect((await world.inRoot('svc --version')).trim()).toBe(VERSION);
      expect(await world.inRoot('getent passwd svc svc-hub')).toMatch(/^svc:.*\nsvc-hub:/);
      expect(await world.inRoot(CALL_ONCE)).toContain('Hello, Ada');
      await world.inRoot('dnf remove -y -q svc');
      expect(existsSync(join(world.root, 'usr/bin/svc'))).toBe(false);
      const index = join(world.folder, 'dnf/repodata/repomd.xml');
      const good = readFileSync(index, 'utf8');
      writeFileSync(index, `${good}\n`);
      const refused = await messageOf(world.inRoot('dnf clean -q all; dnf install -y svc'));
      expect(refused).toContain('Bad GPG signature');
      writeFileSync(index, good);
      rmSync(join(world.root, 'etc/yum.repos.d/svc.repo'));
      // The one line on a system without dpkg.
      const away = 'mv /usr/bin/dpkg /root/; trap "mv /root/dpkg /usr/bin/" EXIT';
      expect(await world.inRoot(`${away}; ${install()}`)).toContain(`svc ${VERSION} is /usr/bin/svc`);
      expect(await world.inRoot('rpm --query svc')).toBe(`svc-${VERSION}-1.x86_64\n`);
      await world.inRoot(`${away}; ${install('--uninstall')}`);
      expect(existsSync(join(world.root, 'usr/bin/svc'))).toBe(false);
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

  test('the one line names what a system with musl lacks', async () => {
    const loader = join(world.root, 'lib/ld-musl-x86_64.so.1');
    writeFileSync(loader, '');
    const refused = await messageOf(world.inRoot(install('--prefix /opt/svc')));
    expect(refused).toContain('install.sh: the C++ library is needed: run "apk add libstdc++" and try again');
    // With the library it goes on, to a file that this release does not have.
    const library = join(world.root, 'usr/lib/libstdc++.so.6');
    writeFileSync(library, '');
    const found = await messageOf(world.inRoot(install('--prefix /opt/svc')));
    expect(found).toContain(`svc-${VERSION}-linux-x64-musl.tar.zst could not be downloaded`);
    for (const file of [loader, library]) rmSync(file);
  });

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

  test(
    'the line of a hub installs the program and its agent on another machine, whose first endpoint answers',
    async () => {
      await using machine = await BootedRoot.boot(world.root);
      await using folder = await temporaryFolder();
      run(['tar', '--zstd', '-xf', join(world.folder, `svc-${VERSION}-linux-x64.tar.zst`)], {
        cwd: folder.path,
      });
      const program = join(folder.path, `svc-${VERSION}-linux-x64/svc`);
      const hubUrl = `http://127.0.0.1:${await freePort()}`;
      const env = { SVC_DATA_DIR: join(folder.path, 'data'), SVC_HUB_URL: hubUrl };
      await using hub = await startedHub(program, env);
      const made = run([program, 'admin', 'bootstrap', 'ada@example.com', '--username', 'ada', '--json'], {
        env,
      });
      const { access_token: access, api_key: key } = JSON.parse(made);
      const answer = await fetch(`${hub.url}/agent-tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'build server', enrolment: true }),
      });
      const { connect_command: line } = (await answer.json()) as { connect_command: string };
      await machine.run(line);
      const called = await fetch(`${hubUrl}/v1/ada/hello?name=Ada`, {
        headers: { 'x-api-key': key, accept: 'application/json' },
      });
      expect(await called.json()).toMatchObject({ output: 'Hello, Ada!\n', exit_code: 0 });
      expect(await machine.propertyOf('svc-agent', 'ActiveState')).toBe('active');
      await machine.run('svc agent install --uninstall && apt-get purge -y -qq svc');
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
        'svc.asc',
        '.tgz',
        '.whl',
        'install.sh',
      ])
        expect(sums).toContain(kind);
      for (const file of [
        `svc-${VERSION}.intoto.json.minisig`,
        'SHA256SUMS.minisig',
        'apt/dists/stable/InRelease',
        'dnf/repodata/repomd.xml.asc',
      ])
        expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(world.folder, file), 'utf8'));
    },
    10 * MINUTES,
  );
});

/** What bash offers behind `svc age`. */
const COMPLETE_IN_BASH = `
. /usr/share/bash-completion/completions/svc
COMP_WORDS=(svc age) COMP_CWORD=1
_svc
printf "%s\\n" "\${COMPREPLY[@]}"
`;

/** Gives dnf in a Debian a package that stands for what Debian has and rpm does not know of. */
function tellRpmAboutDebian(root: string): void {
  const folder = join(root, 'root/debian');
  mkdirSync(folder);
  const spec = join(folder, 'debian.spec');
  writeFileSync(
    spec,
    `Name: debian
Version: 12
Release: 1
Summary: what Debian has
License: none
BuildArch: noarch
Provides: glibc = 2.36, /bin/sh
%description
What Debian has.
%files
`,
  );
  run(['rpmbuild', '-bb', '--define', `_topdir ${folder}/work`, '--define', `_rpmdir ${folder}`, spec]);
  run(['createrepo_c', '--quiet', folder]);
  mkdirSync(join(root, 'etc/yum.repos.d'), { recursive: true });
  writeFileSync(
    join(root, 'etc/yum.repos.d/debian.repo'),
    '[debian]\nname=debian\nbaseurl=file:///root/debian\ngpgcheck=0\n',
  );
  writeFileSync(join(root, 'etc/dnf/vars/releasever'), '12\n');
}

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

/** Runs a hub with a program of the release, until it is disposed of. */
async function startedHub(program: string, env: Readonly<Record<'SVC_DATA_DIR' | 'SVC_HUB_URL', string>>) {
  const { port } = new URL(env.SVC_HUB_URL);
  const child = Bun.spawn([program, 'hub', '--port', port], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Lines(child.stderr).find(/listens/);
  return {
    url: env.SVC_HUB_URL,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

async function messageOf(failing: Promise<string>): Promise<string> {
  return await failing.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
}

/** One mistake that the client finds, and one that the network does. */
const TRY_CLIENT = `
import { SvcClient } from '@svc/client';
const svc = new SvcClient({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
const nameOf = (target) => svc.call(target).then(() => 'none', (error) => error.name);
console.log(await nameOf('hello'), await nameOf('ada/hello'));
`;

/** Starts the server with the starter of `svc init` and calls its first endpoint. */
const CALL_ONCE = `
cd /tmp && rm -rf try && mkdir try && cd try
svc init >/dev/null
svc serve --port 8799 >log 2>&1 & server=$!
trap 'kill $server; cd /; rm -rf /tmp/try' EXIT
curl -fsS --retry 20 --retry-connrefused --retry-delay 1 -H 'accept: application/json' 'http://127.0.0.1:8799/hello?name=Ada'
`;
