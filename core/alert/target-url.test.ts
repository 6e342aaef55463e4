import { expect, test } from 'bun:test';
import { readNetwork } from './address.ts';
import { targetProblem } from './target-url.ts';

const LOOPBACK = [readNetwork('127.0.0.0/8') ?? expect.unreachable()];

function problem(url: string, allowed = LOOPBACK.slice(1)): string | undefined {
  return targetProblem(new URL(url), allowed);
}

test('every spelling of an address that is not public is refused', () => {
  const loopback = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '①②⑦.⓪.⓪.①',
  ];
  for (const host of loopback)
    expect([host, problem(`https://${host}/`)]).toEqual([
      host,
      expect.stringContaining('127.0.0.1 is not on the public Internet (loopback)'),
    ]);
  for (const host of [
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '0',
    '10.1',
  ])
    expect([host, problem(`http://${host}/`)]).toEqual([
      host,
      expect.stringContaining('is not on the public Internet'),
    ]);
});

test('names, public addresses and names in other alphabets may be tried', () => {
  const urls = [
    'https://hooks.example.com/a?b=c',
    'http://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
  ];
  for (const url of urls) expect([url, problem(url)]).toEqual([url, undefined]);
});

test('user names, other protocols and ports of other services are refused', () => {
  expect(problem('https://user@example.com/')).toContain('without a user name');
  expect(problem('https://:secret@example.com/')).toContain('without a user name');
  expect(problem('https://example.com@127.0.0.1/')).toContain('without a user name');
  for (const url of [
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
  ])
    expect([url, problem(url)]).toEqual([url, expect.stringContaining('https://')]);
  for (const port of [1, 22, 25, 110, 6000, 6667, 1023])
    expect(problem(`https://example.com:${port}/`)).toBe(`port ${port} is not one that webhooks are sent to`);
  for (const port of [80, 443, 1024, 8443, 65_535])
    expect(problem(`https://example.com:${port}/`)).toBeUndefined();
});

test('hosts that the operator allows are allowed, in the same spelling only', () => {
  expect(problem('http://127.0.0.1:8080/', LOOPBACK)).toBeUndefined();
  expect(problem('http://0x7f.1/', LOOPBACK)).toBeUndefined();
  expect(problem('http://[::ffff:127.0.0.1]/', LOOPBACK)).toContain('translated');
  expect(problem('http://10.0.0.1/', LOOPBACK)).toContain('private');
});
