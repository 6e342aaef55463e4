import { requestTarget } from '@svc/core/api/request-target';
import type { Logger } from 'pino';

/** Not signed in, not allowed, or rate limited. */
const REFUSED = new Set([401, 403, 429]);
const LINK = /^\/(?:login|join)\//;
/** An unknown, used or expired link. */
const DEAD = new Set([404, 410]);

/** Logs one line for each refused credential, so that an operator notices attempts to break in. */
export function logRefused(logger: Logger, request: Request, status: number, addressOf: () => string): void {
  if (!REFUSED.has(status) && !DEAD.has(status)) return;
  const { path } = requestTarget(request.url);
  if (REFUSED.has(status) || LINK.test(path))
    logger.info({ status, method: request.method, path, address: addressOf() }, 'refused');
}
