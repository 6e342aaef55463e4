/** Programs that tests and benchmarks use besides npm packages, by the Debian packages that bring each, with spaces. */
export const DEBIAN_PACKAGES = {
  curl: 'curl',
  'chromium-headless-shell': 'chromium-headless-shell',
  busybox: 'busybox',
  zsh: 'zsh',
  fish: 'fish',
  pg_ctlcluster: 'postgresql',
  crun: 'crun',
  dockerd: 'docker.io',
  docker: 'docker.io',
  mmdebstrap: 'mmdebstrap',
  'nats-server': 'nats-server',
  nginx: 'nginx',
  haproxy: 'haproxy',
  caddy: 'caddy',
  'systemd-analyze': 'systemd',
  rpmbuild: 'rpm',
  createrepo_c: 'createrepo-c',
  'apt-ftparchive': 'apt-utils',
  minisign: 'minisign',
  gpg: 'gnupg',
  zstd: 'zstd',
  zip: 'zip',
  ruby: 'ruby',
  'qemu-aarch64-static': 'qemu-user-static',
  'ld-musl-config': 'musl',
  // With Debian's C++ library for arm64, which a test links for musl.
  'aarch64-linux-gnu-gcc': 'g++-aarch64-linux-gnu',
  jc: 'jc',
  python3: 'python3',
  cc: 'build-essential',
  // What the templates about files run.
  gm: 'graphicsmagick',
  pdfsig: 'poppler-utils',
  certutil: 'libnss3-tools',
  // LemonLDAP::NG, a sign-in provider, with the two modules that its OpenID provider needs besides.
  plackup: 'liblemonldap-ng-portal-perl libio-string-perl libstring-random-perl',
} as const satisfies Record<string, string>;

/** The programs that this machine does not have. */
export function missingPrograms(): string[] {
  return Object.keys(DEBIAN_PACKAGES).filter((program) => Bun.which(program) === null);
}

/**
 * Installs what is missing where that needs no question (root and apt-get), and returns the programs that are still missing.
 * Tests that need one of these are skipped on such a machine, which `npm test -- --all` counts as failures.
 */
export function installPrograms(): string[] {
  const wanted = missingPrograms().flatMap((program) =>
    DEBIAN_PACKAGES[program as keyof typeof DEBIAN_PACKAGES].split(' '),
  );
  if (wanted.length === 0 || process.getuid?.() !== 0 || Bun.which('apt-get') === null)
    return missingPrograms();
  console.log(`Installing Debian packages for the tests: ${wanted.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const step of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...wanted],
  ])
    Bun.spawnSync(['apt-get', ...step], { env, stdout: 'ignore', stderr: 'inherit' });
  return missingPrograms();
}
