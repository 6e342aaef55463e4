import { expect, test } from 'bun:test';
import { readNetwork } from '@svc/core/alert/address';
import { refuseCallback } from './target-problem.ts';

test.each([
  ['ci.example.com', 'callback_url: an address that begins with https:// expected'],
  ['ftp://ci.example.com', 'callback_url: an address that begins with https:// expected'],
  ['https://ada:pw@ci.example.com', 'callback_url: an address without a user name and password expected'],
  ['https://ci.example.com:22', 'callback_url: port 22 is not one that webhooks are sent to'],
  [`https://ci.example.com/${'x'.repeat(2_000)}`, 'callback_url: at most 2000 characters expected'],
  [
    'http://10.0.0.7/done',
    'callback_url: 10.0.0.7 is not on the public Internet (private); the operator of the hub can allow a network with SVC_ALERT_PRIVATE_NETWORKS',
  ],
])('%s is refused before anything runs', (url, message) => {
  expect(() => refuseCallback(url, [])).toThrow(message);
});

test('a private address is allowed where the operator allows it, and a public one everywhere', () => {
  const allowed = [readNetwork('10.0.0.0/8') ?? expect.unreachable()];
  expect(() => refuseCallback('http://10.0.0.7/done', allowed)).not.toThrow();
  expect(() => refuseCallback(`https://ci.example.com/${'x'.repeat(1_977)}`, [])).not.toThrow();
});
