import { allItems } from '@svc/core/api/client/client';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { printSchedules, type ShownSchedule } from './print.ts';

/** `svc schedules list`: all schedules of the workspace. */
export async function listSchedules(options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const pages = allItems((cursor) => api.listSchedules({ query: { limit: 100, cursor } }));
  const all: ShownSchedule[] = await orFail(Array.fromAsync(pages));
  printSchedules(all, options.json === true);
}
