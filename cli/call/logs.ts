import { visibleText } from '@svc/core/text/visible-text';
import { apiOf, orFail } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import type { Service } from '../service/service.ts';
import { printRaw } from '../terminal.ts';
import { findThing, follow } from './follow.ts';
import { followExecutions, listExecutions, listRuns } from './list-executions.ts';
import type { LogsOptions } from './options.ts';
import { printEvent } from './print.ts';

/** `svc logs`: replays and follows an execution or a run, or lists the latest ones. */
export async function logs(thingId: string | undefined, options: LogsOptions): Promise<void> {
  if (options.raw) printRaw();
  const service = findService(options, process.env);
  if (thingId === undefined) {
    const list = options.runs ? listRuns : options.follow ? followExecutions : listExecutions;
    return await orFail(list(apiOf(service), options));
  }
  const thing = await findThing(service, thingId);
  try {
    for await (const { id, event } of follow(service, thing, options.after)) {
      if (options.json) process.stdout.write(`${JSON.stringify({ id, ...event })}\n`);
      else printEvent(event);
    }
  } finally {
    if (thing.kind === 'execution' && !options.json) await reportMissingFiles(service, thing.id);
  }
}

/** The files that it left and that are not there, on stderr. A hub that does not answer has been reported already. */
async function reportMissingFiles(service: Service, id: string): Promise<void> {
  const { items } = await apiOf(service)
    .listArtifacts({ parameters: { id } })
    .catch(() => ({ items: [] }));
  for (const { name, reason = 'no reason given' } of items.filter(({ state }) => state === 'missing'))
    process.stderr.write(`${visibleText(name)} is missing: ${visibleText(reason)}\n`);
}
