import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../tools/release/run.ts';

const ROOT = join(import.meta.dir, '..', '..');
const PROGRAMS = [
  'dpkg-deb',
  'apt-ftparchive',
  'rpmbuild',
  'createrepo_c',
  'minisign',
  'gpg',
  'zstd',
  'mmdebstrap',
  'qemu-aarch64-static',
  'ld-musl-config',
  'gcc',
  'aarch64-linux-gnu-gcc',
];
const SOURCES = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'];

/** Why no release can be made and installed here, or undefined. */
export function whyNoRelease(): string | undefined {
  if (process.getuid?.() !== 0) return 'a clean root needs root';
  const missing = PROGRAMS.filter((program) => Bun.which(program) === null);
  return missing.length > 0 ? `${missing.join(', ')} not installed` : undefined;
}

/** A release for this machine, signed by keys of its own and served on loopback, and a clean Debian to install it in. */
export interface ReleaseWorld extends AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  /** The OpenPGP key as apt wants it. */
  readonly keyring: string;
  readonly minisignKey: string;
  readonly gpgHome: string;
  readonly root: string;
  /** Runs a shell line in the clean Debian, and answers with what it printed. Fails with its messages when it fails. */
  readonly inRoot: (line: string) => Promise<string>;
}

export async function releaseWorld(): Promise<ReleaseWorld> {
  const top = await mkdtemp(join(tmpdir(), 'svc-release-'));
  // apt reads what it installs as a user of its own.
  await chmod(top, 0o755);
  const [folder, gpgHome, minisignKey, root] = ['out', 'gpg', 'minisign.key', 'root'].map((name) =>
    join(top, name),
  ) as [string, string, string, string];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      // The newest release, and the only one.
      const path = new URL(request.url).pathname.replace(/^\/(?:latest|\d+\.\d+\.\d+)\//, '/');
      const file = Bun.file(join(folder, path));
      return existsSync(file.name ?? '') ? new Response(file) : new Response('', { status: 404 });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  await mkdir(gpgHome, { mode: 0o700 });
  const env = { GNUPGHOME: gpgHome };
  run(['minisign', '-G', '-W', '-f', '-s', minisignKey, '-p', `${minisignKey}.pub`]);
  // Started here with pipes of its own: gpg would give it ours, and it outlives gpg.
  Bun.spawnSync(['gpgconf', '--launch', 'gpg-agent'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  run(
    [
      'gpg',
      '--batch',
      '--faked-system-time',
      '20260101T000000',
      '--passphrase',
      '',
      '--quick-generate-key',
      'svc@test.invalid',
      'ed25519',
      'sign',
    ],
    {
      env,
    },
  );
  const keyring = join(top, 'svc.gpg');
  run(['gpg', '--batch', '--export', '--output', keyring, 'svc@test.invalid'], { env });
  const world = { folder, url, keyring, minisignKey, gpgHome, root };
  await Promise.all([makeRelease(world, folder), makeRoot(root)]);
  return {
    ...world,
    inRoot: (line) =>
      runBeside(['unshare', '--mount', '--pid', '--fork', '/bin/sh', '-euc', IN_ROOT, root, line]),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      run(['gpgconf', '--kill', 'all'], { env });
      await rm(top, { recursive: true, force: true });
    },
  };
}

/** The processes of a line see themselves in /proc, and end with it. */
const IN_ROOT = 'mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -euc "$1"';

type ReleaseKeys = Pick<ReleaseWorld, 'url' | 'minisignKey' | 'gpgHome'>;

interface Maker {
  readonly checkout: string;
  /** The program that starts it as another user. */
  readonly wrapper: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `npm run release` in a checkout, by default this one. */
export async function makeRelease(
  keys: ReleaseKeys,
  folder: string,
  { checkout, wrapper, env }: Maker = { checkout: ROOT, wrapper: [], env: {} },
): Promise<void> {
  const { url, minisignKey, gpgHome } = keys;
  const child = Bun.spawn(
    [
      ...wrapper,
      process.execPath,
      'tools/release/main.ts',
      ...['--out', folder, '--targets', 'linux-x64', '--base-url', url],
      // How hard the files are compressed is nothing that a test looks at, and takes half of the time.
      ...['--level', '3', '--sign-key', minisignKey, '--repository-key', 'svc@test.invalid'],
    ],
    { cwd: checkout, env: { ...process.env, GNUPGHOME: gpgHome, ...env }, stdout: 'ignore', stderr: 'pipe' },
  );
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`npm run release failed: ${said}`);
}

/** The same as `run`, while the server of this process still answers. */
async function runBeside(argv: readonly string[]): Promise<string> {
  const child = Bun.spawn([...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`it ended with ${child.exitCode}: ${said}`);
  return printed;
}

async function makeRoot(root: string): Promise<void> {
  const sources = SOURCES.find((file) => existsSync(file)) ?? '';
  const child = Bun.spawn(
    [
      'mmdebstrap',
      '--quiet',
      '--variant=apt',
      // dnf and rpm come from Debian: they install the rpm as on Fedora.
      '--include=curl,ca-certificates,openssl,minisign,systemd,sudo,zstd,dnf,rpm',
      ...['bookworm', root, sources],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`mmdebstrap failed: ${said}`);
}
