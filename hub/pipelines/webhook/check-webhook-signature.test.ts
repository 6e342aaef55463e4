import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { readSignatures } from '@svc/core/pipeline/webhook/signatures';
import { Webhook } from 'standardwebhooks';
import { validSignature } from './check-webhook-signature.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const BODY = '{"action":"opened","title":"ünïcode"}';

function check(headers: Record<string, string>, secret: string, body = BODY, nowMs = NOW_MS) {
  return validSignature(readSignatures(new Headers(headers)), secret, Buffer.from(body), nowMs)?.kind;
}

function gitHubs(secret: string, body = BODY) {
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

/** The request that the package of the standard sends. */
function standards(webhook: Webhook, { id = 'msg_1', atMs = NOW_MS, body = BODY } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': webhook.sign(id, new Date(atMs), body),
  };
}

describe('a signature of GitHub', () => {
  test('is valid for the secret and the bytes that it was made with, and for nothing else', () => {
    const headers = gitHubs('the secret');
    expect(check(headers, 'the secret')).toBe('github');
    expect(check(headers, 'the secret.')).toBeUndefined();
    expect(check(headers, 'the secret', `${BODY} `)).toBeUndefined();
    expect(check(headers, 'the secret', BODY.replace('opened', 'closed'))).toBeUndefined();
  });

  test('is the one that the documentation of GitHub gives as an example', () => {
    const hex = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const headers = { 'x-hub-signature-256': `sha256=${hex}` };
    expect(check(headers, "It's a Secret to Everybody", 'Hello, World!')).toBe('github');
  });

  test.each([
    'sha256=',
    'sha256=00',
    `sha1=${'0'.repeat(40)}`,
    `sha256=${'g'.repeat(64)}`,
    `sha256=${'0'.repeat(64)}`,
  ])('of the shape %p proves nothing', (signature) => {
    expect(check({ 'x-hub-signature-256': signature }, 'the secret')).toBeUndefined();
  });
});

describe('a signature of Standard Webhooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

  test('that its own package made is valid, with the prefix of the secret and without', () => {
    const headers = standards(new Webhook(secret));
    expect(check(headers, secret)).toBe('standard');
    expect(check(headers, secret.slice('whsec_'.length))).toBe('standard');
  });

  test('that was made with a secret in plain text is valid', () => {
    expect(check(standards(new Webhook('plain text!', { format: 'raw' })), 'plain text!')).toBe('standard');
  });

  test('counts for five minutes before and after', () => {
    const headers = standards(new Webhook(secret));
    expect(check(headers, secret, BODY, NOW_MS + 300_000)).toBe('standard');
    expect(check(headers, secret, BODY, NOW_MS + 301_000)).toBeUndefined();
    expect(check(headers, secret, BODY, NOW_MS - 301_000)).toBeUndefined();
  });

  test('is about the id, the time and the body', () => {
    const headers = standards(new Webhook(secret));
    expect(check({ ...headers, 'webhook-id': 'msg_2' }, secret)).toBeUndefined();
    const later = String(Math.floor(NOW_MS / 1000) + 1);
    expect(check({ ...headers, 'webhook-timestamp': later }, secret)).toBeUndefined();
    expect(check(headers, secret, '{}')).toBeUndefined();
  });

  test('may be one of several, while a secret is replaced', () => {
    const headers = standards(new Webhook(secret));
    const others = `v1,${'A'.repeat(44)} v1a,xyz ${headers['webhook-signature']}`;
    expect(check({ ...headers, 'webhook-signature': others }, secret)).toBe('standard');
    expect(check({ ...headers, 'webhook-signature': 'v2,abc' }, secret)).toBeUndefined();
  });

  test('is never made with the empty key that base64 would make of some secrets', () => {
    const mac = createHmac('sha256', '')
      .update(`msg_1.${NOW_MS / 1000}.${BODY}`)
      .digest('base64');
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW_MS / 1000),
      'webhook-signature': `v1,${mac}`,
    };
    for (const odd of ['whsec_', '!!!!', '====']) expect(check(headers, odd)).toBeUndefined();
  });
});

test('one valid signature is enough', () => {
  const headers = { ...gitHubs('the secret'), ...standards(new Webhook('other', { format: 'raw' })) };
  expect(check(headers, 'the secret')).toBe('github');
});
