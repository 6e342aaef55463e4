import { programTests } from './program-tests.ts';

/** What is run by one `bun test`. */
export interface Suite {
  readonly name: string;
  readonly args: readonly string[];
  /** Besides that of the run; undefined: what the run says does not hold for it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export const BINARY = 'dist/svc';
/** Tests of the whole program wait for processes and clocks most of the time, so there are more of them than cores. */
export const WAITING = ['--parallel=3', '--timeout=120000'];

export const SUITES: readonly Suite[] = [
  {
    name: 'unit and property tests',
    args: ['--parallel=2', '--timeout=120000', 'core/', 'hub/', 'agent/', 'cli/', 'web/', 'tools/'],
  },
  { name: 'the whole program, from source', args: [...WAITING, 'test/'] },
  {
    name: 'the whole program, as the binary',
    args: [...WAITING, ...(await programTests('test/spec'))],
    env: { SVC_BINARY: BINARY },
  },
];
