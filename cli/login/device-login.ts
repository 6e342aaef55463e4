import { hostname } from 'node:os';
import { ApiError } from '@svc/core/api/client/api-error';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { EXIT, Failure } from '../failure.ts';
import { apiOf, orFail } from '../service/api.ts';
import { failureOf, type Service } from '../service/service.ts';

/** The device authorization response (RFC 8628). */
export type DeviceLogin = Awaited<ReturnType<ApiClient['startDeviceLogin']>>;
export type DeviceToken = Awaited<ReturnType<ApiClient['pollDeviceLogin']>>;

const WAITS = ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'] as const;
type Wait = (typeof WAITS)[number];

const SLOWER_SEC = 5;

export function beginLogin(service: Service): Promise<DeviceLogin> {
  return orFail(apiOf(service).startDeviceLogin({ body: { client_name: clientName() } }));
}

/** Polls until a person has decided in a browser, or the code has expired. */
export async function untilConfirmed(service: Service, login: DeviceLogin): Promise<DeviceToken> {
  const endMs = performance.now() + login.expires_in * 1000;
  let pauseSec = login.interval;
  while (performance.now() < endMs) {
    await Bun.sleep(pauseSec * 1000);
    const answer = await poll(service, login);
    if (typeof answer === 'object') return answer;
    if (answer === 'access_denied') throw new Failure('sign-in denied in the browser', FAILED);
    if (answer === 'expired_token') break;
    if (answer === 'slow_down') pauseSec += SLOWER_SEC;
  }
  throw new Failure('sign-in not confirmed in time', { ...FAILED, tip: 'svc login' });
}

const FAILED = { exitCode: EXIT.failed } as const;

async function poll(service: Service, { device_code }: DeviceLogin): Promise<DeviceToken | Wait> {
  try {
    return await apiOf(service).pollDeviceLogin({ body: { device_code } });
  } catch (error) {
    // The connection may come back before the code expires.
    if (error instanceof Failure) return 'authorization_pending';
    if (!(error instanceof ApiError)) throw error;
    if (error.status >= 500) return 'authorization_pending';
    if (error.status === 429) return 'slow_down';
    const wait = WAITS.find((code) => code === error.code);
    if (wait !== undefined) return wait;
    throw failureOf(error);
  }
}

/** The name of this program on the page in the browser, without odd characters of the host name. */
function clientName(): string {
  return `svc on ${hostname().replaceAll(/[^\w.-]/g, '')}`.slice(0, 100);
}
