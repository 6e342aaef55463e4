import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHubConfig } from '@svc/hub/config';
import { EXIT, Failure } from '../failure.ts';
import type { ServiceOptions } from './options.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';
const LOCAL_USERNAME = 'local';

/** Where the service is and who calls it. */
export interface Service {
  readonly baseUrl: string;
  readonly username: string;
  readonly apiKey: string | undefined;
}

/** From options, else the environment, else the `svc up` that keeps its data on this machine. */
export function findService(options: ServiceOptions, environment: NodeJS.ProcessEnv): Service {
  const baseUrl = (options.baseUrl ?? environment.SVC_BASE_URL ?? DEFAULT_URL).replace(/\/+$/, '');
  if (!/^https?:\/\/[^/\s]+/.test(baseUrl))
    throw new Failure(`"${baseUrl}" is no http:// or https:// address`);
  return {
    baseUrl,
    username: environment.SVC_USERNAME || LOCAL_USERNAME,
    apiKey: options.apiKey ?? (environment.SVC_API_KEY || localKey(environment)),
  };
}

/** The answer of the service; refusals end the subcommand with what it said. */
export async function ask({ apiKey }: Service, url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (apiKey !== undefined) headers.set('X-API-Key', apiKey);
  try {
    return await fetch(url, { ...init, headers });
  } catch (cause) {
    const tip = 'svc up, or SVC_BASE_URL for where it is';
    throw new Failure(`no service answers at ${new URL(url).origin}: ${String(cause)}`, {
      tip,
      exitCode: EXIT.failed,
    });
  }
}

export async function refusalOf(response: Response): Promise<Failure> {
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  const message = body.error ?? `the service answered with status ${response.status}`;
  return new Failure(message, {
    exitCode: response.status < 500 && response.status !== 429 ? EXIT.badInput : EXIT.failed,
    ...(response.status === 401 ? { tip: 'give a key with --api-key or SVC_API_KEY' } : {}),
  });
}

function localKey(environment: NodeJS.ProcessEnv): string | undefined {
  const path = join(readHubConfig(environment).dataDir, 'up.json');
  if (!existsSync(path)) return undefined;
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { api_key?: string }).api_key;
  } catch {
    // It may be that of another user, or half written: then there is just no key.
    return undefined;
  }
}
