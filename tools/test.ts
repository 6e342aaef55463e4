// `npm test`: what a contributor runs. `-- --unit` leaves out binary, browsers and servers, `-- --all` runs everything and skips
// nothing, `-- --long` also runs the full counts, `-- path …` runs some files. The last line is `N passed, N failed`.
import { whyNoContainers } from '../test/containers/machine.ts';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { installPrograms, missingPrograms } from './debian-packages.ts';
import { memoryFolder } from './memory-folder.ts';
import { readSuite, type SuiteResult } from './suite-output.ts';
import { ALL, type Suite, UNIT_ONLY, USUAL, WAITING } from './suites.ts';

/** How many slow files of each suite the end of a run names. */
const SLOWEST = 10;
/** With one of these variables Bun prints failures only. The result is read from the lines of all tests. */
const EACH_TEST = { AGENT: undefined, CLAUDECODE: undefined, REPL_ID: undefined };
const KNOWN = ['--all', '--unit', '--long', '--update-timings'];

const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const paths = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const unknown = options.find((option) => !KNOWN.includes(option));
if (unknown !== undefined) {
  console.error(`npm test does not know ${unknown}: it takes ${KNOWN.join(', ')} or paths of tests`);
  process.exit(2);
}
const long = options.includes('--long');
const everything = long || options.includes('--all');

const total = { passed: 0, failed: 0, skipped: 0 };
/** The output of each failed test, repeated at the end of the run. */
const failures: string[] = [];
/** How long each part of the run took, and its slowest files, repeated at the end of the run. */
const durations: string[] = [];

let began = performance.now();
const missing = everything ? installPrograms() : missingPrograms();
noteDuration('Debian packages');
if (everything || (paths.length === 0 && !options.includes('--unit'))) build();
noteDuration('the binary');
const inMemory = memoryFolder();
const postgres = paths.length > 0 || options.includes('--unit') ? undefined : await preparedPostgres();
try {
  for await (const suite of suites()) await runSuite(suite);
} finally {
  await postgres?.[Symbol.asyncDispose]();
}
if (failures.length > 0) console.log(`\n== what failed\n${failures.join('\n\n')}\n`);
console.log(`\n== how long it took\n${durations.join('\n')}\n`);
if (everything) {
  if (total.skipped > 0) console.log(`${total.skipped} skipped, and --all may skip none`);
  total.failed += total.skipped;
} else if (total.skipped > 0 || missing.length > 0)
  console.log(
    `${total.skipped} skipped${missing.length > 0 ? `: ${missing.join(', ')} not installed` : ''}. ` +
      'npm test -- --all runs everything; as root on Debian it installs what is missing.',
  );
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

async function* suites(): AsyncGenerator<Suite> {
  if (paths.length > 0) {
    // Takes minutes where it was never built: longer than a test may take to set itself up.
    if (paths.some((path) => /^(?:\.\/)?test\/?$|test\/containers/.test(path))) await buildRunnerImage();
    yield { name: paths.join(' '), args: [...WAITING, ...paths] };
  } else if (everything) yield* all();
  else yield* options.includes('--unit') ? UNIT_ONLY : USUAL;
}

async function* all(): AsyncGenerator<Suite> {
  // Imported after the installation: these files look for PostgreSQL and NATS when they are loaded.
  const { besideSuites } = await import('./beside-suites.ts');
  await using versions = await temporaryFolder();
  // Built while the first suite runs, which makes no containers.
  const image = buildRunnerImage();
  for (const suite of [...ALL, ...(await besideSuites(versions.path, long))]) {
    if (suite.args.includes('test/')) await image;
    yield suite;
  }
}

function build(): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'tools/build.ts'], {
    env: process.env,
  });
  if (exitCode === 0) return;
  console.log(`${stdout}${stderr}\nThe binary could not be built.`);
  process.exit(1);
}

/** Each server of the run begins with a copy of this data. Imported after the installation, too. */
async function preparedPostgres(): Promise<AsyncDisposable | undefined> {
  const { preparedPostgres } = await import('../test/prepared-postgres.ts');
  const folder = await preparedPostgres(inMemory);
  if (folder !== undefined) process.env.SVC_TEST_POSTGRES = folder.path;
  return folder;
}

/** Containers in tests start from this image. Where this fails, each of these tests builds it and reports the error. */
async function buildRunnerImage(): Promise<void> {
  if (whyNoContainers() !== undefined) return;
  const program = "await (await import('./test/containers/machine.ts')).testImage()";
  await Bun.spawn([process.execPath, '-e', program], { env: process.env, stdout: 'ignore' }).exited;
}

async function runSuite({ name, args, env, isInMemory, longFiles = [] }: Suite): Promise<void> {
  console.log(`\n== ${name}`);
  began = performance.now();
  const ignored = long ? [] : longFiles.map((file) => `--path-ignore-patterns=${file}`);
  const suite = Bun.spawn([process.execPath, 'test', ...args, ...ignored, ...updating(args)], {
    env: {
      ...process.env,
      ...(long ? { SVC_TEST_LONG: '1' } : {}),
      ...(isInMemory && inMemory ? { TMPDIR: inMemory } : {}),
      ...env,
      ...EACH_TEST,
      FORCE_COLOR: '0',
    },
    stdout: 'inherit',
    stderr: 'pipe',
  });
  const result = await readSuite(suite.stderr, suite.exited);
  noteDuration(name, result.durations);
  total.passed += result.passed;
  total.failed += result.failed;
  total.skipped += result.skipped;
  failures.push(...result.failures.map(({ text }) => text));
  if (result.filesWithoutTests > 0) failures.push(describeSilentFiles(result, args));
}

/** What to tell about files that were run and reported no test. Bun does not name them. */
function describeSilentFiles({ filesWithoutTests, files }: SuiteResult, args: readonly string[]): string {
  const given = args.filter((arg) => !arg.startsWith('-'));
  const within = given.flatMap((path) =>
    path.includes('.test.')
      ? [path]
      : [...new Bun.Glob(`${path.replace(/\/$/, '')}/**/*.test.{ts,tsx}`).scanSync()],
  );
  const silent = within.filter((path) => !files.has(path) && !path.includes('node_modules/')).sort();
  return [
    `Files that were run and reported no test: ${filesWithoutTests}. Their tests may be missing from the run.`,
    ...silent.map((path) => `  ${path}`),
    'The tests of a file are registered when it is first imported. Files that import the tests of others need',
    'a run without --no-isolate (tools/suites.ts). A file that has nothing to test here skips a test.',
  ].join('\n');
}

/** The option of Bun that writes the durations, for a suite that has a file of durations. */
function updating(args: readonly string[]): string[] {
  const hasTimings = args.some((arg) => arg.startsWith('--timings='));
  return hasTimings && options.includes('--update-timings') ? ['--update-timings'] : [];
}

/** Records the time since the last call, and the files that took longest in that time. */
function noteDuration(name: string, files: ReadonlyMap<string, number> = new Map()): void {
  const slowest = [...files].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  durations.push(
    `${name}: ${Math.round((performance.now() - began) / 1000)} s`,
    ...slowest.map(([file, seconds]) => `  ${Math.round(seconds)} s ${file}`),
  );
  began = performance.now();
}
