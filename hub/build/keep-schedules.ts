import type { Logger } from 'pino';
import { type FirePorts, FireSchedules } from '../schedules/fire-schedules.ts';
import { tickEachMinute } from '../schedules/tick.ts';

/** Fires schedules as each minute begins, until the returned function is called. */
export function keepSchedules(context: FirePorts, logger: Logger): () => Promise<void> {
  const schedules = new FireSchedules(context);
  const onProblem = (err: unknown) => logger.warn({ err }, 'schedules are tried again');
  return tickEachMinute(context.clock, () => schedules.run(), onProblem);
}
