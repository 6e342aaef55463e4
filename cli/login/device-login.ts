import { hostname } from 'node:os';
import { EXIT, Failure } from '../failure.ts';
import { ask, refusalOf, type Service } from '../service/service.ts';

/** What the service says at the beginning, in the words of RFC 8628. */
export interface DeviceLogin {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export interface DeviceToken {
  readonly access_token: string;
  readonly expires_in: number;
  readonly username: string | null;
}

type Error = 'authorization_pending' | 'slow_down' | 'expired_token' | 'access_denied';

const SLOWER_SEC = 5;

export async function beginLogin(service: Service): Promise<DeviceLogin> {
  return (await askFor(service, '/auth/device', { client_name: clientName() })) as DeviceLogin;
}

/** Asks until somebody has decided in a browser, or the time for that is over. */
export async function untilConfirmed(service: Service, login: DeviceLogin): Promise<DeviceToken> {
  const endMs = performance.now() + login.expires_in * 1000;
  let pauseSec = login.interval;
  while (performance.now() < endMs) {
    await Bun.sleep(pauseSec * 1000);
    const answer = await poll(service, login);
    if (typeof answer === 'object') return answer;
    if (answer === 'access_denied') throw new Failure('it was refused in the browser', FAILED);
    if (answer === 'expired_token') break;
    if (answer === 'slow_down') pauseSec += SLOWER_SEC;
  }
  throw new Failure('nobody has confirmed it in time', { ...FAILED, tip: 'svc login' });
}

const FAILED = { exitCode: EXIT.failed } as const;

async function poll(service: Service, { device_code }: DeviceLogin): Promise<DeviceToken | Error> {
  const response = await post(service, '/auth/device/token', { device_code }).catch((error: unknown) => {
    // The connection may come back before the code expires.
    if (error instanceof Failure) return undefined;
    throw error;
  });
  if (response === undefined || response.status >= 500) return 'authorization_pending';
  if (response.ok) return (await response.json()) as DeviceToken;
  if (response.status === 429) return 'slow_down';
  const { error } = (await response.clone().json()) as { error?: string };
  if (isKnown(error)) return error;
  throw await refusalOf(response);
}

function isKnown(error: string | undefined): error is Error {
  return ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'].includes(error ?? '');
}

async function askFor(service: Service, path: string, body: object): Promise<unknown> {
  const response = await post(service, path, body);
  if (!response.ok) throw await refusalOf(response);
  return response.json();
}

function post(service: Service, path: string, body: object): Promise<Response> {
  return ask(service, `${service.baseUrl}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
}

/** What the page in the browser calls this program; a name of a machine may be anything. */
function clientName(): string {
  return `svc on ${hostname().replaceAll(/[^\w.-]/g, '')}`.slice(0, 100);
}
