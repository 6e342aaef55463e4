/** The facts that `facts.py` found in a container. */
export interface Facts {
  readonly user: string;
  readonly folder: string;
  readonly capabilities: readonly string[];
  readonly no_new_privileges: string;
  readonly seccomp: string;
  readonly writable: readonly string[];
  readonly sizes: Readonly<Record<string, number>>;
  readonly devices: readonly string[];
  readonly interfaces: readonly string[];
  readonly descriptors: readonly string[];
  readonly namespaces: boolean;
  readonly forks: number;
  readonly memory_beyond_limit: boolean;
  readonly processors_used: number;
}

const MIB = 1024 * 1024;
const SIZES: Readonly<Record<string, number>> = {
  '/tmp': 100 * MIB,
  '/output': 100 * MIB,
  '/dev/shm': 16 * MIB,
};
const WRITABLE = ['/dev/shm', '/output', '/tmp', '/workspace'];
const DEVICES = ['full', 'null', 'random', 'tty', 'urandom', 'zero'];
const PROCESSES = 256;
/** CPU time is assigned in periods, and the last one may extend beyond the measurement. */
const CPU_SLACK = 1.6;

/** The rules of reference 8 that do not hold in a container with this number of processors, in words for the operator. */
export function checkFacts(facts: Facts, vcpus: number): string[] {
  const { user, folder, capabilities, sizes, writable, devices, interfaces, descriptors, forks } = facts;
  const cpu = facts.processors_used;
  return [
    ...unless(user === 'runner', `commands run as "${user}", not as "runner"`),
    ...unless(folder === '/workspace', `commands begin in ${folder}, not in /workspace`),
    ...unless(!facts.memory_beyond_limit, 'memory: a process got more than its limit'),
    ...unless(forks < PROCESSES, `processes: ${forks} could be started, the limit is ${PROCESSES}`),
    ...unless(cpu <= vcpus * CPU_SLACK, `processors: ${cpu.toFixed(2)} were used, the limit is ${vcpus}`),
    ...unless(
      capabilities.every((set) => /^0+$/.test(set)),
      'capabilities: there are some',
    ),
    ...unless(facts.no_new_privileges === '1', 'no-new-privileges is not set'),
    ...unless(facts.seccomp === '2', 'system calls are not filtered'),
    ...unless(!facts.namespaces, 'a user namespace can be made'),
    ...Object.entries(SIZES).flatMap(([path, bytes]) =>
      unless(sizes[path] === bytes, `${path} has ${sizes[path] ?? 0} bytes, not ${bytes}`),
    ),
    ...beyond(writable, WRITABLE).map((path) => `${path} is writable`),
    ...beyond(devices, DEVICES).map((name) => `there is a device /dev/${name}`),
    ...beyond(interfaces, ['lo']).map((name) => `there is a network interface ${name}`),
    ...descriptors.map((target) => `a descriptor of the host is open: ${target}`),
  ];
}

function unless(holds: boolean, problem: string): string[] {
  return holds ? [] : [problem];
}

function beyond(found: readonly string[], expected: readonly string[]): string[] {
  return found.filter((one) => !expected.includes(one));
}
