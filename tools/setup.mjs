// Runs on plain Node before anything is installed: makes node_modules match the lock file, then hands over to Bun.
//   node tools/setup.mjs <script.ts> [arguments…]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');

const args = process.argv.slice(2);
const [script, benchmark] = args;
const starts = script === 'cli/svc.ts';
// Whoever tries the program waits for no tools of developers. Without peer dependencies, npm also leaves out the types that packages
// can do without.
if (starts || script === 'tools/build.ts') install(root, ['--omit=dev', '--legacy-peer-deps']);
else install(root, []);
// Lighthouse is a third of all packages, so only its benchmarks install it.
if (script === 'bench/main.ts' && ['dashboard', 'docs'].includes(benchmark)) install(join(root, 'bench'), []);
if (starts) buildDashboard();
run(args);

/** `npm ci`, unless it already ran for exactly this lock file with at least these packages. */
function install(folder, options) {
  const stamp = join(folder, 'node_modules', '.svc-installed');
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const wanted = [...options, lock].join('\n');
  if (existsSync(bun) && existsSync(stamp) && [lock, wanted].includes(readFileSync(stamp, 'utf8'))) return;
  process.stderr.write('Installing the packages of package-lock.json (once)…\n');
  const { status, error } = spawnSync(
    'npm',
    ['ci', ...options, '--no-fund', '--no-audit', '--loglevel=error'],
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) {
    process.stderr.write(
      `npm ci failed${error ? `: ${error.message}` : ''}. Node 20 or newer and npm 10 or newer are needed.\n`,
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

/**
 * Builds the files that the hub serves to browsers, when they are missing or not of these sources; without them the rest works.
 */
function buildDashboard() {
  spawnSync(bun, ['tools/build-web.ts'], { cwd: root, stdio: ['ignore', 2, 2] });
}

/** Runs Bun in our place: same standard streams, signals passed on, same exit code. */
function run(args) {
  const child = spawn(bun, args, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both of us; a second one would mean "end at once".
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + 15 : (code ?? 1)));
}
