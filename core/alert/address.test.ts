import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isInAny, notPublic, readNetwork } from './address.ts';

describe('an address that is not of the public Internet', () => {
  const table: readonly (readonly [address: string, what: string])[] = [
    ['0.0.0.0', 'this machine'],
    ['0.255.255.255', 'this machine'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.0', 'shared by a carrier'],
    ['100.100.100.200', 'shared by a carrier'],
    ['100.127.255.255', 'shared by a carrier'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'for metadata'],
    ['169.254.169.254', 'link-local'],
    ['169.254.170.2', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['192.168.0.1', 'private'],
    ['198.18.0.1', 'reserved'],
    ['198.19.255.255', 'reserved'],
    ['198.51.100.7', 'reserved'],
    ['203.0.113.7', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'this machine'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::127.0.0.1', 'translated (IPv4-mapped)'],
    ['::ffff:127.0.0.1', 'translated (IPv4-mapped)'],
    ['::ffff:7f00:1', 'translated (IPv4-mapped)'],
    ['::FFFF:8.8.8.8', 'translated (IPv4-mapped)'],
    ['::ffff:0:127.0.0.1', 'reserved'],
    ['64:ff9b::a9fe:a9fe', 'translated (NAT64)'],
    ['64:ff9b::169.254.169.254', 'translated (NAT64)'],
    ['64:ff9b:1::1', 'translated (NAT64)'],
    ['100::1', 'reserved'],
    ['2001::1', 'translated (Teredo)'],
    ['2001:10::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'translated (6to4)'],
    ['3fff::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'private'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'reserved'],
    ['ff02::1', 'multicast'],
  ];
  for (const [address, what] of table)
    test(`${address} is ${what}`, () => expect(notPublic(address)).toBe(what));
});

test('addresses of the public Internet, also those beside the special ones', () => {
  const addresses = ['8.8.8.8', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'];
  const more = [
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
  ];
  const v6 = ['2606:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1', '2003::1', '2620:0:ccd::2'];
  for (const address of [...addresses, ...more, ...v6]) expect(notPublic(address)).toBeUndefined();
});

test('text that is not an address, or only for some programs, is not public', () => {
  const spellings = [
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '8.8.8.8.',
    '8.8.8',
    '256.8.8.8',
  ];
  const v6 = [
    'fe80::1%eth0',
    '1::2::3',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::8.8.8',
    '[::1]',
    '1:2:3:4:5:6:7::8',
  ];
  for (const address of [...spellings, ...v6]) expect(notPublic(address)).toBe('no address');
});

test('no IPv4 address gets through inside one of IPv6 that translates it', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const v4 = bytes.join('.');
      const hex = bytes.map((one) => one.toString(16).padStart(2, '0'));
      const groups = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
      for (const address of [
        `::ffff:${v4}`,
        `::${v4}`,
        `64:ff9b::${v4}`,
        `::ffff:${groups}`,
        `2002:${groups}::1`,
      ])
        expect(notPublic(address)).toBeDefined();
    }),
  );
});

test('networks are read with and without a length, and contain what they should', () => {
  const networks = ['10.0.0.0/9', 'fd00::/8', '192.168.1.7', '8.8.0.0/15'].map(
    (text) => readNetwork(text) ?? expect.unreachable(),
  );
  for (const inside of ['10.127.255.255', 'fdff::1', '192.168.1.7', '8.9.255.255'])
    expect([inside, isInAny(inside, networks)]).toEqual([inside, true]);
  for (const outside of ['10.128.0.0', 'fc00::1', '192.168.1.6', '8.10.0.0', '::ffff:10.0.0.1', 'localhost'])
    expect([outside, isInAny(outside, networks)]).toEqual([outside, false]);
  for (const none of ['', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/8/8', '10.0.0.0/', 'all'])
    expect(readNetwork(none)).toBeUndefined();
});
