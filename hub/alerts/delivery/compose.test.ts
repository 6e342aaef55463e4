import { expect, test } from 'bun:test';
import { signatureHeaders } from './compose.ts';

/** The example that libraries of Standard Webhooks are tested with. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SIGNED = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSec: 1_614_265_330,
  body: '{"test": 2432232314}',
};

test('signs as Standard Webhooks specifies', () => {
  expect(signatureHeaders(SIGNED, [SECRET])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('with two secrets there is a signature for each, the newer first', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const signature = signatureHeaders(SIGNED, [other, SECRET])['webhook-signature'] ?? '';
  expect(signature.split(' ')).toHaveLength(2);
  expect(signature.split(' ')[1]).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('without a secret nothing is signed', () => {
  expect(signatureHeaders(SIGNED, [])).not.toHaveProperty('webhook-signature');
});
