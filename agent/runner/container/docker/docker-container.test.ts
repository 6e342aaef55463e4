import { expect, test } from 'bun:test';
import { memoryGroupIn } from './docker-container.ts';

test.each([
  ['first version', '5:devices:/a\n4:memory:/svc-x/id\n0::/b\n', '/svc-x/id'],
  ['first version, with others in one hierarchy', '4:cpuset,memory:/svc-x/id\n', '/svc-x/id'],
  ['second version', '0::/system.slice/docker-id.scope\n', '/system.slice/docker-id.scope'],
  ['second version, with a colon in the name', '0::/a:b/id\n', '/a:b/id'],
])('the control group that counts memory: %s', (_version, text, group) => {
  expect(memoryGroupIn(text)).toBe(group);
});
