import { expect, test } from 'bun:test';
import { limitedNetwork } from './limited-network.ts';

test('an IPv4 address has its own limit', () => {
  expect(limitedNetwork('192.0.2.1')).toBe('192.0.2.1');
  expect(limitedNetwork('unknown')).toBe('unknown');
});

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001::2:3:4:5:6:7', '2001:0:2:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('%s is counted with all of its network', (address, network) => {
  expect(limitedNetwork(address)).toBe(network);
});
