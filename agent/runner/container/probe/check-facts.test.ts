import { expect, test } from 'bun:test';
import { checkFacts, type Facts } from './check-facts.ts';

const MIB = 1024 * 1024;
const GOOD: Facts = {
  user: 'runner',
  folder: '/workspace',
  capabilities: ['0000000000000000', '0000000000000000'],
  no_new_privileges: '1',
  seccomp: '2',
  writable: ['/dev/shm', '/output', '/tmp', '/workspace'],
  sizes: { '/tmp': 100 * MIB, '/output': 100 * MIB, '/dev/shm': 16 * MIB },
  devices: ['full', 'null', 'random', 'tty', 'urandom', 'zero'],
  interfaces: ['lo'],
  descriptors: [],
  namespaces: false,
  forks: 253,
  memory_beyond_limit: false,
  processors_used: 0.55,
};

test('a container as it should be has no problem', () => {
  expect(checkFacts(GOOD, 0.5)).toEqual([]);
});

test.each<[Partial<Facts>, string]>([
  [{ user: 'root' }, 'commands run as "root", not as "runner"'],
  [{ folder: '/' }, 'commands begin in /, not in /workspace'],
  [{ capabilities: ['0000000000000000', '00000000a80425fb'] }, 'capabilities: there are some'],
  [{ no_new_privileges: '0' }, 'no-new-privileges is not set'],
  [{ seccomp: '0' }, 'system calls are not filtered'],
  [{ writable: ['/etc', '/tmp'] }, '/etc is writable'],
  [{ sizes: { ...GOOD.sizes, '/tmp': 1024 * MIB } }, `/tmp has ${1024 * MIB} bytes, not ${100 * MIB}`],
  [{ sizes: { ...GOOD.sizes, '/output': 0 } }, `/output has 0 bytes, not ${100 * MIB}`],
  [{ devices: [...GOOD.devices, 'sda'] }, 'there is a device /dev/sda'],
  [{ interfaces: ['lo', 'eth0'] }, 'there is a network interface eth0'],
  [{ descriptors: ['/run/docker.sock'] }, 'a descriptor of the host is open: /run/docker.sock'],
  [{ namespaces: true }, 'a user namespace can be made'],
  [{ forks: 300 }, 'processes: 300 could be started, the limit is 256'],
  [{ memory_beyond_limit: true }, 'memory: a process got more than its limit'],
  [{ processors_used: 1.9 }, 'processors: 1.90 were used, the limit is 0.5'],
])('each broken rule is one problem: %o', (different, problem) => {
  expect(checkFacts({ ...GOOD, ...different }, 0.5)).toEqual([problem]);
});
