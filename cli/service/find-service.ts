import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirOf } from '@svc/hub/config';
import { Failure } from '../failure.ts';
import { type Login, Logins } from './logins.ts';
import type { ServiceOptions } from './options.ts';
import type { Service } from './service.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';
const LOCAL_USERNAME = 'local';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The address of the service and the credential: from the options, else the environment, else `svc login`, else the `svc up` of
 * this machine.
 */
export function findService(options: Omit<ServiceOptions, 'json'>, environment: Environment): Service {
  const baseUrl = baseUrlOf(options, environment);
  const login = new Logins(environment).of(baseUrl);
  const credential =
    options.apiKey ?? (environment.SVC_API_KEY || login?.accessToken || localKey(baseUrl, environment));
  return { baseUrl, username: environment.SVC_USERNAME || usernameOf(login), credential };
}

/** The service with the login of a member, for actions that an API key may not do. */
export function findServiceOfMember({ baseUrl }: ServiceOptions, environment: Environment): Service {
  const url = baseUrlOf(baseUrl === undefined ? {} : { baseUrl }, environment);
  const login = new Logins(environment).of(url);
  if (login === undefined) throw new Failure(`not signed in at ${url}`, { tip: 'svc login' });
  return { baseUrl: url, username: login.username, credential: login.accessToken };
}

/** The address of the option, else of SVC_BASE_URL, else of a hub on this machine (decision 28, base URL). */
export function baseUrlOf({ baseUrl }: ServiceOptions, { SVC_BASE_URL }: Environment): string {
  const text = (baseUrl ?? (SVC_BASE_URL || DEFAULT_URL)).replace(/\/+$/, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '')
    return text;
  throw new Failure(`"${text}" is not an http:// or https:// address of a service`);
}

function usernameOf(login: Login | undefined): string | undefined {
  return login === undefined ? LOCAL_USERNAME : login.username;
}

/** The key of `svc up`, sent to this machine only. */
function localKey(baseUrl: string, environment: Environment): string | undefined {
  const path = join(dataDirOf(environment), 'up.json');
  if (!isThisMachine(baseUrl) || !existsSync(path)) return undefined;
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { api_key?: string }).api_key;
  } catch {
    // The file may belong to another user or be half written; there is no key then.
    return undefined;
  }
}

function isThisMachine(baseUrl: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}
