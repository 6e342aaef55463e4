import { requestTarget } from '@svc/core/api/request-target';
import type { Logger } from 'pino';

/** Not signed in, not allowed, too often. */
const REFUSED = new Set([401, 403, 429]);
const LINK = /^\/(?:login|join)\//;
/** Unknown, used or too old. */
const DEAD = new Set([404, 410]);

/** One line for each who was refused for what they are or had: by these an operator sees that somebody tries to get in. */
export function logRefused(logger: Logger, request: Request, status: number, addressOf: () => string): void {
  if (!REFUSED.has(status) && !DEAD.has(status)) return;
  const { path } = requestTarget(request.url);
  if (REFUSED.has(status) || LINK.test(path))
    logger.info({ status, method: request.method, path, address: addressOf() }, 'refused');
}
