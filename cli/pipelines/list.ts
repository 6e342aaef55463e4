import { allItems } from '@svc/core/api/client/client';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { writeRows } from '../terminal.ts';
import { pipelineRows, type ShownSummary } from './pipeline-rows.ts';

/** `svc pipelines list`: all pipelines of the workspace. */
export async function listPipelines(options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const pages = allItems((cursor) => api.listPipelines({ query: { limit: 100, cursor } }));
  const all: ShownSummary[] = await orFail(Array.fromAsync(pages));
  if (options.json) for (const one of all) process.stdout.write(`${JSON.stringify(one)}\n`);
  else if (all.length === 0) process.stderr.write('no pipelines\n');
  else writeRows(process.stdout, all.flatMap(pipelineRows));
}
