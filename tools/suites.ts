/** The tests of one run of `bun test`. */
export interface Suite {
  readonly name: string;
  readonly args: readonly string[];
  /** Added to the variables of the run; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether its temporary files are in memory where the machine has room. */
  readonly isInMemory?: true;
  /** Files that only the long run takes. */
  readonly longFiles?: readonly string[];
}

export const BINARY = 'dist/svc';
/** Tests of the whole program wait for processes and clocks most of the time, so there are more of them than cores. */
export const WAITING = ['--parallel=6', '--timeout=120000'];

// Files that share what they import save a third of the processor time of a run. Not for files that import each other's tests, as those
// of test/postgres-spec do: the tests of a file are registered only when it is first imported.
const SHARED = '--no-isolate';

/**
 * The recorded duration of each slow file, in milliseconds, so that a run starts with them. Browser files are not among them: their
 * pages should not begin beside a release and the containers. `npm test -- --all --update-timings` adds all files.
 */
const TIMINGS = 'tools/test-timings.json';

const UNIT_ARGS = ['--parallel=3', '--timeout=120000', SHARED];

const UNIT: readonly Suite[] = [
  { name: 'unit and property tests of core', args: [...UNIT_ARGS, 'core/'] },
  {
    name: 'unit and property tests',
    args: [...UNIT_ARGS, 'hub/', 'agent/', 'cli/', 'web/', 'tools/'],
    isInMemory: true,
  },
];

/** `npm test -- --unit`: without the binary, browsers and servers. */
export const UNIT_ONLY: readonly Suite[] = UNIT.map((suite) => ({
  ...suite,
  env: { SVC_TEST_SERVERS: 'none' },
}));

/** `npm test`: what a contributor runs before a commit. */
export const USUAL: readonly Suite[] = [
  ...UNIT_ONLY,
  {
    name: 'the whole program, as the binary',
    args: [...WAITING, SHARED, `--timings=${TIMINGS}`, 'test/spec/', 'test/command/', 'test/hostile/'],
    env: { SVC_BINARY: BINARY },
  },
];

/** The tests of the source: `npm start` and each other way to start the program without the binary. */
const SOURCE_TESTS = ['dashboard', 'hub-up', 'pipelines-program', 'start', 'stop'].map(
  (name) => `test/spec/${name}.test.ts`,
);

/** The link and the path of output know no database, and these tests take their time: on PostgreSQL they are for the long run. */
const LONG_FILES = ['link', 'volume'].map((name) => `test/faults/elsewhere/${name}-postgres.test.ts`);

/** `npm test -- --all`, before the hubs of two versions. The binary starts in a third of the time that the source takes. */
export const ALL: readonly Suite[] = [
  ...UNIT,
  {
    name: 'the whole program, as the binary',
    args: [...WAITING, `--timings=${TIMINGS}`, 'test/'],
    env: { SVC_BINARY: BINARY },
    longFiles: LONG_FILES,
  },
  { name: 'the whole program, from source', args: [...WAITING, ...SOURCE_TESTS] },
];
