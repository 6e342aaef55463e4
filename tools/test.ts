// `npm test`: every test, and as the last line `N passed, N failed`. With `--long`, the full counts (`npm run test:long`).
import { whyNoContainers } from '../test/containers/machine.ts';
import { installPrograms } from './debian-packages.ts';
import { programTests } from './program-tests.ts';

interface Suite {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const BINARY = 'dist/svc';
/** Tests of the whole program wait for processes and clocks most of the time, so there are more of them than cores. */
const WAITING = '--parallel=3';
/** How much of what was said of a failure is told again. */
const FAILURE_LINES = 60;
const SUITES: readonly Suite[] = [
  {
    name: 'unit and property tests',
    args: ['--parallel=2', '--timeout=120000', 'core/', 'hub/', 'agent/', 'cli/', 'web/', 'tools/'],
  },
  { name: 'the whole program, from source', args: [WAITING, '--timeout=120000', 'test/'] },
  {
    name: 'the whole program, as the binary',
    args: [WAITING, '--timeout=120000', ...(await programTests('test/spec'))],
    env: { SVC_BINARY: BINARY },
  },
];

const long = process.argv.includes('--long');
const strict = process.env.SVC_TEST_SKIP === 'forbid';
const missing = installPrograms();
if (missing.length > 0)
  console.log(`Tests that need ${missing.join(', ')} are skipped: not installed on this machine.`);

const total = { passed: 0, failed: 0, skipped: 0 };
/** Of each test that failed: its file, what was said of it, and its name. Told again at the end, where it is looked for. */
const failures: string[] = [];
build();
// While the first suite runs: it makes no containers.
const image = buildRunnerImage();
for (const suite of SUITES) {
  if (suite.args.includes('test/')) await image;
  await runSuite(suite);
}
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

async function runSuite({ name, args, env }: Suite): Promise<void> {
  console.log(`\n== ${name}`);
  const suite = Bun.spawn([process.execPath, 'test', ...args], {
    env: { ...process.env, ...env, ...(long ? { SVC_TEST_LONG: '1' } : {}), FORCE_COLOR: '0' },
    stdout: 'inherit',
    stderr: 'pipe',
  });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failed = new FailureReader();
  for await (const line of lines(suite.stderr)) {
    console.log(line);
    failed.read(line);
    // Bun closes a run with ` 12 pass`, ` 0 fail` and, where there are any, ` 1 skip`.
    const [, count, word] = /^\s*(\d+) (pass|fail|skip|todo)$/.exec(line) ?? [];
    if (word === 'pass') counts.passed += Number(count);
    else if (word === 'fail') counts.failed += Number(count);
    else if (word !== undefined) counts.skipped += Number(count);
  }
  failures.push(...failed.found);
  // A run that dies without its closing lines must not look like a run without failures.
  if ((await suite.exited) !== 0 && counts.failed === 0) counts.failed = 1;
  if (counts.passed === 0) counts.failed = Math.max(1, counts.failed);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}

/** Reads what Bun says of a run: what is wrong with a test stands between the line of the test before and its own. */
class FailureReader {
  readonly found: string[] = [];
  #file = '';
  #said: string[] = [];
  #isOver = false;

  read(line: string): void {
    // Then Bun says all of it once more.
    if (/^\d+ tests? failed:$/.test(line)) this.#isOver = true;
    if (this.#isOver) return;
    if (/^\S+\.test\.tsx?:$/.test(line)) this.#file = line;
    else if (!/^\((pass|skip|todo|fail)\)/.test(line)) {
      this.#said.push(line);
      return;
    }
    if (line.startsWith('(fail)'))
      this.found.push([this.#file, ...this.#said.slice(-FAILURE_LINES), line].join('\n'));
    this.#said = [];
  }
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of decoded(stream)) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

async function* decoded(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) yield decoder.decode(chunk, { stream: true });
}
