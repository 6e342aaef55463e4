import { EXECUTION_STATES } from '@svc/core/execution/state';
import { apiOf, orFail } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import type { Service } from '../service/service.ts';
import { printRaw, writeRows } from '../terminal.ts';
import { findThing, follow } from './follow.ts';
import type { LogsOptions } from './options.ts';
import { printEvent } from './print.ts';

const STATUS_WIDTH = Math.max(...EXECUTION_STATES.map((state) => state.length));

/** `svc logs`: replays and follows an execution or a run, or lists the latest ones. */
export async function logs(thingId: string | undefined, options: LogsOptions): Promise<void> {
  if (options.raw) printRaw();
  const service = findService(options, process.env);
  if (thingId === undefined) {
    await (options.runs ? listRuns : list)(service, options.json === true);
    return;
  }
  const thing = await findThing(service, thingId);
  for await (const { id, event } of follow(service, thing, options.after)) {
    if (options.json) process.stdout.write(`${JSON.stringify({ id, ...event })}\n`);
    else printEvent(event);
  }
}

async function list(service: Service, json: boolean): Promise<void> {
  const { items } = await orFail(apiOf(service).listExecutions());
  const rows = items.map(({ execution_id: id, endpoint, status, created_at: at }) => [
    id,
    at,
    status,
    endpoint,
  ]);
  write(items, rows, json, 'no executions yet');
}

async function listRuns(service: Service, json: boolean): Promise<void> {
  const { items } = await orFail(apiOf(service).listPipelineRuns());
  const rows = items.map(({ run_id: id, pipeline, status, created_at: at }) => [id, at, status, pipeline]);
  write(items, rows, json, 'no pipeline runs yet');
}

function write(items: readonly object[], rows: readonly string[][], json: boolean, none: string): void {
  if (json) {
    for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`);
    return;
  }
  if (rows.length === 0) process.stderr.write(`${none}\n`);
  else
    writeRows(
      process.stdout,
      rows.map(([label = '', at, status = '', slug]) => ({
        label,
        text: `${at}  ${status.padEnd(STATUS_WIDTH)}  ${slug}`,
      })),
    );
}
