import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirOf } from '@svc/hub/config';
import { Failure } from '../failure.ts';
import { readTextFile } from '../resource/input.ts';
import { Contexts } from './contexts.ts';
import { type Login, Logins } from './logins.ts';
import type { ServiceOptions } from './options.ts';
import type { Service } from './service.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';
/** How an access token begins. The service knows the username of its workspace. */
const ACCESS_TOKEN = 'svc_pat_';
const LOCAL_USERNAME = 'local';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The address of the service and the credential: from the options, else the environment, else `svc login`, else the `svc up` of
 * this machine.
 */
export function findService(options: Omit<ServiceOptions, 'json'>, environment: Environment): Service {
  const baseUrl = baseUrlOf(options, environment);
  const login = new Logins(environment).of(baseUrl);
  const given = keyGiven(options.apiKey) ?? (environment.SVC_API_KEY || environment.SVC_ACCESS_TOKEN);
  const isMember = given?.startsWith(ACCESS_TOKEN) === true;
  return {
    baseUrl,
    username: environment.SVC_USERNAME || (isMember ? undefined : usernameOf(login)),
    credential: given || (login?.accessToken ?? localKey(baseUrl, environment)),
  };
}

/** A key, or `@file` with one. Standard input is left to values and messages. */
function keyGiven(apiKey: string | undefined): string | undefined {
  return apiKey?.startsWith('@') ? readTextFile(apiKey.slice(1)).trim() : apiKey;
}

/** The service with the access token of a member, for actions that an API key may not do. */
export function findServiceOfMember(options: ServiceOptions, environment: Environment): Service {
  const { apiKey: _, ...where } = options;
  const baseUrl = baseUrlOf(where, environment);
  const login = new Logins(environment).of(baseUrl);
  const credential = environment.SVC_ACCESS_TOKEN || login?.accessToken;
  if (credential === undefined)
    throw new Failure(`not signed in at ${baseUrl}`, {
      tip: 'svc login, or set SVC_ACCESS_TOKEN',
      code: 'not_signed_in',
    });
  return { baseUrl, username: environment.SVC_USERNAME || login?.username, credential };
}

/**
 * The address of --base-url, else of --context, else of SVC_BASE_URL, else of SVC_CONTEXT or the chosen context, else of a
 * hub on this machine (decision 28, the connection of an agent).
 */
export function baseUrlOf(
  { baseUrl, context }: Pick<ServiceOptions, 'baseUrl' | 'context'>,
  environment: Environment,
): string {
  if (baseUrl !== undefined) return readBaseUrl(baseUrl);
  const contexts = new Contexts(environment);
  if (context !== undefined) return contexts.urlOf(context);
  if (environment.SVC_BASE_URL) return readBaseUrl(environment.SVC_BASE_URL);
  return contexts.currentUrl() ?? DEFAULT_URL;
}

/** Reads the address of a service, without a slash at the end. */
export function readBaseUrl(given: string): string {
  const text = given.replace(/\/+$/, '');
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
