// `npm test`: every test, and as the last line `N passed, N failed`. With `--long`, the full counts (`npm run test:long`).
import { whyNoContainers } from '../test/containers/machine.ts';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { installPrograms } from './debian-packages.ts';
import { readSuite, type SuiteResult } from './suite-output.ts';
import { SUITES, type Suite } from './suites.ts';

/** More files than this do not fail by chance. */
const MOST_UNSTEADY = 3;

const long = process.argv.includes('--long');
const strict = process.env.SVC_TEST_SKIP === 'forbid';
const missing = installPrograms();
if (missing.length > 0)
  console.log(`Tests that need ${missing.join(', ')} are skipped: not installed on this machine.`);

const total = { passed: 0, failed: 0, skipped: 0 };
/** Of each test that failed: its file, what was said of it, and its name. Told again at the end, where it is looked for. */
const failures: string[] = [];
/** The same of those that passed when their file ran once more. */
const unsteadyTests: string[] = [];
build();
const versions = await temporaryFolder();
// Imported now: these files look for PostgreSQL and NATS, which have just been installed.
const { besideSuites } = await import('./beside-suites.ts');
const beside = await besideSuites(versions.path, long);
// While the first suite runs: it makes no containers.
const image = buildRunnerImage();
for (const suite of [...SUITES, ...beside]) {
  if (suite.args.includes('test/')) await image;
  await runSuite(suite);
}
await versions[Symbol.asyncDispose]();
if (unsteadyTests.length > 0)
  console.log(`\n== what passed only when its file ran once more\n${unsteadyTests.join('\n\n')}\n`);
if (failures.length > 0) console.log(`\n== what failed\n${failures.join('\n\n')}\n`);
if (strict && total.skipped > 0) {
  console.log(`${total.skipped} skipped, and here none may be`);
  total.failed += total.skipped;
}
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

function build(): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'tools/build.ts'], {
    env: process.env,
  });
  if (exitCode === 0) return;
  console.log(`${stdout}${stderr}\nThe binary could not be built.`);
  process.exit(1);
}

/** What containers in tests are made of. Where that fails they build it themselves, and say what is wrong. */
async function buildRunnerImage(): Promise<void> {
  if (whyNoContainers() !== undefined) return;
  const program = "await (await import('./test/containers/machine.ts')).testImage()";
  await Bun.spawn([process.execPath, '-e', program], { env: process.env, stdout: 'ignore' }).exited;
}

async function runSuite(suite: Suite): Promise<void> {
  console.log(`\n== ${suite.name}`);
  const result = await run(suite, suite.args);
  const steady = long ? [] : await passedAlone(suite, result);
  const unsteady = result.failures.filter(({ file }) => steady.includes(file));
  total.passed += result.passed + unsteady.length;
  total.failed += result.failed - unsteady.length;
  total.skipped += result.skipped;
  unsteadyTests.push(...unsteady.map(({ text }) => text));
  failures.push(...result.failures.filter((one) => !unsteady.includes(one)).map(({ text }) => text));
}

/**
 * Which files that had a failure have none when they run once more, alone: tests share two cores with others, and one that
 * races them shall not hide what a change has broken. It is told all the same, to be mended.
 */
async function passedAlone(suite: Suite, { failures: failed }: SuiteResult): Promise<string[]> {
  const files = [...new Set(failed.map(({ file }) => file))];
  if (files.length > MOST_UNSTEADY) return [];
  const steady: string[] = [];
  for (const file of files) {
    if (file === '') continue;
    console.log(`\n== ${file} once more`);
    const again = await run(suite, ['--timeout=120000', file]);
    if (again.failed === 0) steady.push(file);
  }
  return steady;
}

async function run({ env }: Suite, args: readonly string[]): Promise<SuiteResult> {
  const suite = Bun.spawn([process.execPath, 'test', ...args], {
    env: { ...process.env, ...(long ? { SVC_TEST_LONG: '1' } : {}), ...env, FORCE_COLOR: '0' },
    stdout: 'inherit',
    stderr: 'pipe',
  });
  return await readSuite(suite.stderr, suite.exited);
}
