import { describe, expect, test } from 'bun:test';
import { authority, isLoopback, localServerUrl, openServer } from './listen.ts';

describe('the callers that can reach a server', () => {
  test.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST'])(
    'on %s: this machine alone',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );
  test.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'example.org',
    'localhost.example.org',
    '1.127.0.0.1',
    '::ffff:127.0.0.1',
  ])('on %s: perhaps others too', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:8080'],
  ['::', 'http://[::1]:8080'],
  ['::1', 'http://[::1]:8080'],
  ['192.168.1.20', 'http://192.168.1.20:8080'],
  ['localhost', 'http://localhost:8080'],
])('programs of this machine reach a server on %s at %s', (host, url) => {
  expect(localServerUrl({ host, port: 8080 })).toBe(url);
});

test('an IPv6 address is in brackets', () => {
  expect(authority({ host: '::', port: 8080 })).toBe('[::]:8080');
});

const nothing = async () => new Response('');

test('a port of another server is reported as in use', async () => {
  const first = openServer({ host: '127.0.0.1', port: 0 }, nothing);
  if (first.kind !== 'listening') throw new Error(first.message);
  const port = first.server.port ?? 0;
  const second = openServer({ host: '127.0.0.1', port }, nothing);
  expect(second).toEqual({
    kind: 'cannot_listen',
    isPortInUse: true,
    message: `port ${port} is in use on 127.0.0.1`,
  });
  await first.server.stop(true);
});

test.each(['203.0.113.1', 'no.such.host.invalid'])(
  '%s, which is no address of this machine, is reported as such',
  (host) => {
    expect(openServer({ host, port: 0 }, nothing)).toMatchObject({
      kind: 'cannot_listen',
      message: `"${host}" is no address of this machine`,
    });
  },
);
