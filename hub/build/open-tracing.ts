import type { Logger } from 'pino';
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
