import { expect, test } from 'bun:test';
import { type Network, readNetwork } from '@svc/core/alert/address';
import { callerAddress } from './caller-address.ts';

const networks = (...texts: string[]): Network[] => texts.flatMap((text) => readNetwork(text) ?? []);

test.each([
  ['nobody is trusted', '10.0.0.1', '203.0.113.9', networks(), '10.0.0.1'],
  ['another is trusted', '192.0.2.1', '203.0.113.9', networks('10.0.0.0/8'), '192.0.2.1'],
  ['the proxy says nothing', '10.0.0.1', null, networks('10.0.0.0/8'), '10.0.0.1'],
  ['the proxy is trusted', '10.0.0.1', '203.0.113.9', networks('10.0.0.1'), '203.0.113.9'],
  ['its network is trusted', '10.1.2.3', '203.0.113.9', networks('10.0.0.0/8'), '203.0.113.9'],
  [
    'the caller has written something itself',
    '10.0.0.1',
    '6.6.6.6, 203.0.113.9',
    networks('10.0.0.1'),
    '203.0.113.9',
  ],
  [
    'the caller pretends to be behind a proxy that is trusted',
    '10.0.0.1',
    '6.6.6.6, 10.0.0.2, 203.0.113.9',
    networks('10.0.0.0/8'),
    '203.0.113.9',
  ],
  [
    'two proxies are trusted',
    '10.0.0.1',
    '6.6.6.6, 203.0.113.9, 10.0.0.2',
    networks('10.0.0.0/8'),
    '203.0.113.9',
  ],
  ['all of them are trusted', '10.0.0.1', '10.0.0.3,10.0.0.2', networks('10.0.0.0/8'), '10.0.0.3'],
  ['a proxy does not know', '10.0.0.1', 'unknown', networks('10.0.0.1'), '10.0.0.1'],
  ['a proxy hides it', '10.0.0.1', '203.0.113.9, _hidden', networks('10.0.0.1'), '10.0.0.1'],
  ['nothing stands in the header', '10.0.0.1', '', networks('10.0.0.1'), '10.0.0.1'],
  ['the proxy writes the port', '10.0.0.1', '203.0.113.9:4711', networks('10.0.0.1'), '203.0.113.9'],
  ['the caller has IPv6', '10.0.0.1', '2001:DB8:0::9', networks('10.0.0.1'), '2001:db8::9'],
  ['IPv6 with a port', '10.0.0.1', '[2001:db8::9]:4711', networks('10.0.0.1'), '2001:db8::9'],
  ['the proxy has IPv6', 'fd00::1', '203.0.113.9', networks('fd00:0:0::1'), '203.0.113.9'],
  ['a network of IPv6 is trusted', 'fd00::7:1', '203.0.113.9', networks('fd00::/8'), '203.0.113.9'],
  ['IPv4 came as IPv6', '::ffff:10.0.0.1', '::FFFF:203.0.113.9', networks('10.0.0.1'), '203.0.113.9'],
  ['IPv4 came as IPv6 in digits', '::ffff:a00:1', '::ffff:cb00:7109', networks('10.0.0.1'), '203.0.113.9'],
  ['an address has a zone', '10.0.0.1', 'fe80::1%eth0', networks('10.0.0.1'), '10.0.0.1'],
  ['the connection has a zone', 'fe80::1%eth0', '203.0.113.9', networks('fe80::/10'), 'fe80::1%eth0'],
  ['the connection has gone', undefined, '203.0.113.9', networks('10.0.0.1'), 'unknown'],
] as const)('%s', (_, connection, forwardedFor, trusted, address) => {
  expect(callerAddress(connection, forwardedFor, trusted)).toBe(address);
});
