import { apiOf, orFail } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { findThing } from './follow.ts';
import type { CancelOptions } from './options.ts';

/** `svc cancel`: cancels an execution or a pipeline run; an ended one stays as it is. */
export async function cancel(id: string, options: CancelOptions): Promise<void> {
  const service = findService(options, process.env);
  const api = apiOf(service);
  const { kind } = await findThing(service, id);
  const cancelled =
    kind === 'run'
      ? await orFail(api.cancelPipelineRun({ parameters: { id } }))
      : await orFail(api.cancelExecution({ parameters: { id } }));
  if (options.json) process.stdout.write(`${JSON.stringify(cancelled)}\n`);
  else process.stderr.write(`${id}: ${cancelled.status}; follow with svc logs ${id}\n`);
}
