import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { writeRows } from '../terminal.ts';
import { graphRows, pipelineRows } from './pipeline-rows.ts';

/** `svc pipelines show`: one pipeline, node by node. */
export async function showPipeline(pipeline: string, options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const shown = await orFail(api.showPipeline({ parameters: { slug: pipeline } }));
  if (options.json) process.stdout.write(`${JSON.stringify(shown)}\n`);
  else
    writeRows(process.stdout, [
      ...pipelineRows({ ...shown, node_count: shown.nodes.length }),
      ...graphRows(shown),
    ]);
}
