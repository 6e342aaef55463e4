import { TOKEN_PREFIXES } from '@svc/core/token/token';
import pino, { type Logger } from 'pino';
import type { HubConfig } from '../config.ts';
import type { Tracing } from '../platform/tracing/start-tracing.ts';

/**
 * Starts the export of spans to the configured collector. Without a collector no tracing code is loaded, and calls do no work for
 * it.
 */
export async function openTracing(
  { traces }: HubConfig,
  version: string,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined;
  const { startTracing } = await import('../platform/tracing/start-tracing.ts');
  return startTracing(traces, {
    version,
    onState(err) {
      if (err === undefined) logger.info('the collector takes spans');
      else logger.warn({ err }, 'the collector does not take spans, and they are dropped');
    },
  });
}

const TOKENS = `(?:${Object.values(TOKEN_PREFIXES).join('|')})[0-9A-Za-z]+`;
const LINKS = '(?<=/(?:login|join|approve|email-change)/)[A-Za-z0-9_-]{20,}|(?<=[?&]token=)[0-9a-f]{64}';
/** Tokens of every kind, and the paths of links that contain tokens, anywhere in a log entry. */
const SECRETS = new RegExp(`${TOKENS}|${LINKS}`, 'g');

/** A logger of structured lines on stderr. It removes everything that looks like a secret. */
export function createLogger(
  level: string,
  destination: { write(line: string): void } = process.stderr,
): Logger {
  return pino(
    { level, base: null },
    { write: (line) => destination.write(line.replaceAll(SECRETS, '[redacted]')) },
  );
}
