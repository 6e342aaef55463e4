import { describe, expect, test } from 'bun:test';
import { InvalidArgumentError } from 'commander';
import { Failure } from '../failure.ts';
import { portFrom, readGrace, readHost, readHostName, readPort } from './options.ts';

describe('a port', () => {
  test.each([
    ['0', 0],
    ['8080', 8080],
    ['65535', 65535],
  ])('may be %s', (text, port) => {
    expect(readPort(text)).toBe(port);
  });
  test.each(['', ' ', '65536', '-1', '80.5', '1e3', '0x50', '80 ', 'http', '00000000080'])(
    'may not be "%s"',
    (text) => {
      expect(() => readPort(text)).toThrow(InvalidArgumentError);
    },
  );
});

test('the environment says the port, and where it says nothing it is 8080', () => {
  expect([portFrom({ SVC_PORT: '9000' }), portFrom({ SVC_PORT: '' }), portFrom({})]).toEqual([
    9000, 8080, 8080,
  ]);
  expect(() => portFrom({ SVC_PORT: '9000x' })).toThrow(
    new Failure('SVC_PORT is "9000x": expected a port from 0 to 65535'),
  );
});

test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'fe80::1', 'localhost', 'my-host.example.com'])(
  '%s may be an address to listen on',
  (host) => {
    expect(readHost(host)).toBe(host);
  },
);
test.each(['', 'a b', 'http://localhost', 'localhost:80', '[::1]', '-x', 'a/b'])('"%s" may not', (host) => {
  expect(() => readHost(host)).toThrow(InvalidArgumentError);
});

test('names of a repeated option are collected', () => {
  expect(readHostName('b.example', readHostName('a.example'))).toEqual(['a.example', 'b.example']);
});
test.each(['', 'http://a', 'a:80', 'a/b', '*.a', 'a.'])('"%s" is no name of a host', (name) => {
  expect(() => readHostName(name)).toThrow(InvalidArgumentError);
});

test('a grace period is given in seconds and kept in milliseconds', () => {
  expect([readGrace('0'), readGrace('30')]).toEqual([0, 30_000]);
  expect(() => readGrace('-1')).toThrow(InvalidArgumentError);
});
