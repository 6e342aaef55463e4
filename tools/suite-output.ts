/** How much of the messages of a failure is repeated. */
const FAILURE_LINES = 60;

/** A test that failed: its file, and its messages, with its name at the end. */
export interface FailedTest {
  readonly file: string;
  readonly text: string;
}

/** The result of a run of `bun test`. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The files that reported a test, and the number of those that were run and reported none: each counts as failed. */
  readonly files: ReadonlySet<string>;
  readonly filesWithoutTests: number;
  readonly failures: readonly FailedTest[];
  /** Seconds that the tests of each file took, without their set-up. */
  readonly durations: ReadonlyMap<string, number>;
}

/**
 * Reads Bun's output during a run, and counts.
 *
 * @param print is called with each line of the output
 */
export async function readSuite(
  stderr: ReadableStream<Uint8Array>,
  exited: Promise<number>,
  print: (line: string) => void = console.log,
): Promise<SuiteResult> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let files = 0;
  const reader = new FailureReader();
  for await (const line of lines(stderr)) {
    print(line);
    reader.read(line);
    // Bun closes a run with ` 12 pass`, ` 0 fail` and, where there are any, ` 1 skip`.
    const [, count, word] = /^\s*(\d+) (pass|fail|skip|todo)$/.exec(line) ?? [];
    if (word === 'pass') counts.passed += Number(count);
    else if (word === 'fail') counts.failed += Number(count);
    else if (word !== undefined) counts.skipped += Number(count);
    // Its last line: `Ran 4 tests across 3 files. [18.00ms]`. It counts files without tests, too.
    files = Number(/^Ran \d+ tests? across (\d+) files?\./.exec(line)?.[1] ?? files);
  }
  // A run that dies without its closing lines must not look like a run without failures.
  if ((await exited) !== 0 && counts.failed === 0) counts.failed = 1;
  if (counts.passed === 0) counts.failed = Math.max(1, counts.failed);
  const silent = files - reader.files.size;
  // A file that registers no test would otherwise pass, and its tests be missing from every count.
  if (silent > 0) counts.failed += silent;
  return {
    ...counts,
    filesWithoutTests: Math.max(0, silent),
    files: reader.files,
    failures: reader.found,
    durations: reader.durations,
  };
}

/** The messages about a test stand between the line of the test before and its own. */
class FailureReader {
  readonly found: FailedTest[] = [];
  readonly durations = new Map<string, number>();
  /** Those with a test that passed, failed or was skipped. */
  readonly files = new Set<string>();
  #file = '';
  #said: string[] = [];
  #isOver = false;

  read(line: string): void {
    // Then Bun says all of it once more.
    if (/^\d+ tests? failed:$/.test(line)) this.#isOver = true;
    if (this.#isOver) return;
    if (/^\S+\.test\.tsx?:$/.test(line)) this.#file = line.slice(0, -1);
    else if (!/^\((pass|skip|todo|fail)\)/.test(line)) {
      this.#said.push(line);
      return;
    } else if (this.#file !== '') this.files.add(this.#file);
    const [, durationMs] = / \[([\d.]+)ms\]$/.exec(line) ?? [];
    if (durationMs !== undefined)
      this.durations.set(this.#file, (this.durations.get(this.#file) ?? 0) + Number(durationMs) / 1000);
    if (line.startsWith('(fail)'))
      this.found.push({
        file: this.#file,
        text: [`${this.#file}:`, ...this.#said.slice(-FAILURE_LINES), line].join('\n'),
      });
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
