import { type ApiError, readApiError } from '@svc/core/api/client/api-error';
import { EXIT, Failure } from '../failure.ts';

/** The address of the service, and the credential. */
export interface Service {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The owner of a bare endpoint name; undefined: the service knows it, if the credential is an access token. */
  readonly username: string | undefined;
  /** An API key or an access token; undefined: none is known. */
  readonly credential: string | undefined;
}

const PERMANENT_REDIRECT = 308;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, PERMANENT_REDIRECT];

/**
 * Sends a request; a missing response ends the subcommand. The service redirects from a former username to the present one (decision 102,
 * change of username): this is followed once, and only at the same server, because `fetch` would take the values of a call to another one.
 */
export async function ask(service: Service, url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (service.credential !== undefined) headers.set('Authorization', `Bearer ${service.credential}`);
  const request = { ...init, headers, redirect: 'manual' } as const;
  const answer = await send(url, request);
  if (!REDIRECTS.includes(answer.status)) return answer;
  const target = targetOf(url, answer);
  if (init.body instanceof ReadableStream)
    throw redirectFailure(`${url} redirects to ${target}, and the body was streamed: call that URL`);
  await answer.body?.cancel();
  const followed = await send(target, request);
  if (REDIRECTS.includes(followed.status))
    throw redirectFailure(`${url} redirects to ${target}, which redirects again`);
  return followed;
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (cause) {
    const tip = 'svc up, or set SVC_BASE_URL';
    throw new Failure(`no response from ${new URL(url).origin}${reasonOf(cause as Error)}`, {
      tip,
      code: 'no_response',
      exitCode: EXIT.failed,
    });
  }
}

/** Where a redirect leads that may be followed with the credential. */
function targetOf(url: string, { status, headers }: Response): string {
  const { origin } = new URL(url);
  const location = headers.get('location') ?? '';
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (status !== PERMANENT_REDIRECT || target?.origin !== origin)
    throw redirectFailure(
      `${url} redirects to "${location}" with ${status}: only 308 at ${origin} is followed`,
    );
  return origin + target.pathname + target.search;
}

function redirectFailure(message: string): Failure {
  return new Failure(message, {
    tip: 'set SVC_BASE_URL to the address of the service',
    exitCode: EXIT.failed,
  });
}

/** The message of the runtime, except for a refused connection. */
function reasonOf({ message }: Error): string {
  return message.startsWith('ECONNREFUSED') ? '' : `: ${message}`;
}

/** The next command after a refusal, by its status or its code. */
function tipOf({ status, code, details }: ApiError): string | undefined {
  if (status === 401) return 'svc login, or set SVC_ACCESS_TOKEN or SVC_API_KEY';
  // Only a browser can use a passkey, so the tip is a URL.
  if (code === 'second_factor_required' && typeof details.url === 'string') return `open ${details.url}`;
  if (code === 'secret_not_set') return 'svc secrets set';
  return code === 'secret_not_allowed' ? 'svc secrets grants, then svc secrets allow as an admin' : undefined;
}

/** The failure for a refusal, with the message of the service. */
export function failureOf(refusal: ApiError): Failure {
  const { message, status, code, details, executionId, runId, retryAfterSec } = refusal;
  const tip = tipOf(refusal);
  return new Failure(message, {
    exitCode: status < 500 && status !== 429 ? EXIT.badInput : EXIT.failed,
    code,
    facts: {
      status,
      ...(Object.keys(details).length === 0 ? {} : { details }),
      ...(executionId === undefined ? {} : { execution_id: executionId }),
      ...(runId === undefined ? {} : { run_id: runId }),
      ...(retryAfterSec === undefined ? {} : { retry_after_s: retryAfterSec }),
    },
    ...(tip === undefined ? {} : { tip }),
  });
}

export async function failureOfResponse(response: Response): Promise<Failure> {
  const text = await response.text().catch(() => '');
  return failureOf(readApiError(response.status, text, (name) => response.headers.get(name)));
}
