/** Programs that tests and benchmarks use besides npm packages, by the Debian package that brings each. */
export const DEBIAN_PACKAGES = {
  curl: 'curl',
  chromium: 'chromium',
  busybox: 'busybox',
  zsh: 'zsh',
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
} as const satisfies Record<string, string>;

/**
 * Installs what is missing where that is possible without asking (root, apt-get), and returns the programs still missing.
 * Tests that need one of these are reported as skipped on such a machine; `.ci/run` does not accept that.
 */
export function installPrograms(): string[] {
  const missing = () => Object.keys(DEBIAN_PACKAGES).filter((program) => Bun.which(program) === null);
  const wanted = missing().map((program) => DEBIAN_PACKAGES[program as keyof typeof DEBIAN_PACKAGES]);
  if (wanted.length === 0 || process.getuid?.() !== 0 || Bun.which('apt-get') === null) return missing();
  console.log(`Installing Debian packages for the tests: ${wanted.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const step of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...wanted],
  ])
    Bun.spawnSync(['apt-get', ...step], { env, stdout: 'ignore', stderr: 'inherit' });
  return missing();
}
