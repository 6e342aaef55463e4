import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { printSchedules } from './print.ts';

/** `svc schedules pause`. */
export async function pauseSchedule(endpoint: string, options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const paused = await orFail(api.pauseSchedule({ parameters: { name: endpoint } }));
  printSchedules([paused], options.json === true);
}

/** `svc schedules resume`. */
export async function resumeSchedule(endpoint: string, options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const resumed = await orFail(api.resumeSchedule({ parameters: { name: endpoint } }));
  printSchedules([resumed], options.json === true);
}
