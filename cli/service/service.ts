import { type ApiError, readApiError } from '@svc/core/api/client/api-error';
import { EXIT, Failure } from '../failure.ts';

/** Where the service is and who calls it. */
export interface Service {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Whose endpoint a bare name means; undefined: nobody's. */
  readonly username: string | undefined;
  /** An API key or an access token; undefined: none is known. */
  readonly credential: string | undefined;
}

/** The answer of the service; that there is none ends the subcommand. */
export async function ask(service: Service, url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (service.credential !== undefined) headers.set('Authorization', `Bearer ${service.credential}`);
  try {
    return await fetch(url, { ...init, headers });
  } catch (cause) {
    const tip = 'svc up, or SVC_BASE_URL for where it is';
    throw new Failure(`no service answers at ${new URL(url).origin}${reasonOf(cause as Error)}`, {
      tip,
      exitCode: EXIT.failed,
    });
  }
}

/** The runtime's words, unless they say no more than that nobody is there. */
function reasonOf({ message }: Error): string {
  return message.startsWith('ECONNREFUSED') ? '' : `: ${message}`;
}

/** A refusal, told as the service told it. */
export function failureOf({ message, status }: ApiError): Failure {
  return new Failure(message, {
    exitCode: status < 500 && status !== 429 ? EXIT.badInput : EXIT.failed,
    ...(status === 401 ? { tip: 'svc login, or a key in --api-key or SVC_API_KEY' } : {}),
  });
}

export async function refusalOf(response: Response): Promise<Failure> {
  const text = await response.text().catch(() => '');
  return failureOf(readApiError(response.status, text, (name) => response.headers.get(name)));
}
