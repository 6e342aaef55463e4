import { expect, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import { MovableClock } from '../../test/movable-clock.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import { type TokenRoutesDeps, tokenRoutes } from './token-routes.ts';

const HUB = 'https://svc.example.com';

/** The token endpoint of a hub that knows no grant, as it is asked from one address after the other. */
function tokenEndpoint(rate: 'off' | undefined) {
  const clock = new MovableClock();
  let address = '';
  const deps = {
    addressOf: () => address,
    clock,
    limiter: new RateLimiter(clock),
    settings: { hubUrl: HUB, rates: { signIn: rate } },
    grants: { byToken: () => Promise.resolve(undefined) },
  } as unknown as TokenRoutesDeps;
  const { exchangeToken } = tokenRoutes(deps);
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'c', refresh_token: 'x' });
  const ask = async (from: string) => {
    address = from;
    const request = new Request(`${HUB}/oauth/token`, { method: 'POST', body });
    return await Promise.resolve(exchangeToken({ request } as never)).then(
      () => 'answered',
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    );
  };
  return { ask, clock };
}

test('a network exchanges at most 120 tokens a minute, and others go on', async () => {
  const { ask, clock } = tokenEndpoint(undefined);
  const answers = new Set<unknown>();
  for (let count = 0; count < 120; count += 1) answers.add(await ask('203.0.113.7'));
  expect([...answers]).toEqual(['answered']);
  expect(await ask('203.0.113.7')).toBe('rate_limited');
  expect(await ask('198.51.100.1')).toBe('answered');
  clock.move(60_000);
  expect(await ask('203.0.113.7')).toBe('answered');
});

test('an operator can turn that limit off', async () => {
  const { ask } = tokenEndpoint('off');
  const answers = new Set<unknown>();
  for (let count = 0; count < 200; count += 1) answers.add(await ask('203.0.113.7'));
  expect([...answers]).toEqual(['answered']);
});
