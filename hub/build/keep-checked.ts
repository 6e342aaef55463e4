import type { Logger } from 'pino';
import type { HubConfig } from '../config.ts';
import { repeat } from '../platform/repeat.ts';
import type { Clock } from '../platform/world.ts';
import type { Store } from './create-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Checks a SQLite file for damage after the start and once a day, until the returned function is called; the store reports
 * of what is found. PostgreSQL looks at each page that it reads by itself: there the whole is for `svc admin check`.
 */
export function keepChecked(
  { databaseUrl }: Pick<HubConfig, 'databaseUrl'>,
  store: Pick<Store, 'check'>,
  clock: Clock,
  logger: Pick<Logger, 'warn' | 'info'>,
): () => void {
  if (databaseUrl !== undefined) return () => {};
  const check = async () => {
    const beganAtMs = performance.now();
    const findings = await store.check('quick');
    const durationMs = Math.round(performance.now() - beganAtMs);
    logger.info({ durationMs, findings: findings.length }, 'the store was checked for damage');
  };
  return repeat(clock, DAY_MS, check, (err) =>
    logger.warn({ err }, 'the store was not checked for damage, and will be in a day'),
  );
}
