/** What is run by one `bun test`. */
export interface Suite {
  readonly name: string;
  readonly args: readonly string[];
  /** Besides that of the run; undefined: what the run says does not hold for it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export const BINARY = 'dist/svc';
/** Tests of the whole program wait for processes and clocks most of the time, so there are more of them than cores. */
export const WAITING = ['--parallel=4', '--timeout=120000'];

const UNIT: Suite = {
  name: 'unit and property tests',
  args: ['--parallel=3', '--timeout=120000', 'core/', 'hub/', 'agent/', 'cli/', 'web/', 'tools/'],
};

/** `npm test -- --unit`: without the binary, browsers and servers. */
export const UNIT_ONLY: readonly Suite[] = [{ ...UNIT, env: { SVC_TEST_SERVERS: 'none' } }];

/** `npm test`: what a contributor runs before a commit. */
export const USUAL: readonly Suite[] = [
  ...UNIT_ONLY,
  { name: 'the whole program', args: [...WAITING, 'test/spec/', 'test/command/', 'test/hostile/'] },
];

/** What proves the binary: every worker, the dashboard, the runner, and each way to start it. */
const BINARY_TESTS = [
  'admin',
  'agent',
  'dashboard',
  'hub-killed',
  'hub-up',
  'init-validate',
  'output',
  'pipelines-program',
  'schedules-program',
  'start',
  'stop',
].map((name) => `test/spec/${name}.test.ts`);

/** `npm test -- --all`, before the hubs of two versions. */
export const ALL: readonly Suite[] = [
  UNIT,
  { name: 'the whole program, from source', args: [...WAITING, 'test/'] },
  {
    name: 'the whole program, as the binary',
    args: [...WAITING, ...BINARY_TESTS],
    env: { SVC_BINARY: BINARY },
  },
];
