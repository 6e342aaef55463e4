import { allItems } from '@svc/core/api/client/client';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { visibleText } from '@svc/core/text/visible-text';
import { plural } from '../plural.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { type FactRow, writeRows } from '../terminal.ts';

/** A pipeline of the API without its graph. */
type ShownSummary = Awaited<ReturnType<ApiClient['listPipelines']>>['items'][number];
type ShownGraph = Pick<Awaited<ReturnType<ApiClient['showPipeline']>>, 'nodes' | 'edges'>;

/** The URL, the facts and the problems of a pipeline. */
function pipelineRows(pipeline: ShownSummary): FactRow[] {
  const { slug, url, trigger, agent_name: agent, node_count: count, problems, description } = pipeline;
  const facts = [
    triggerText(trigger.type, trigger.public, pipeline.has_secret),
    plural(count, 'node'),
    agent === null ? 'created here' : `defined in svc.yaml of agent "${agent}"`,
  ];
  return [
    { label: slug, text: url },
    ...(description === null ? [] : [{ label: '', text: visibleText(description) }]),
    { label: '', text: facts.join('; ') },
    ...problems.map(
      ({ path, message }): FactRow => ({
        label: 'PROBLEM',
        text: visibleText(`${path}: ${message}`),
        tone: 'warning',
      }),
    ),
  ];
}

/** The nodes with their content and predecessors. */
function graphRows({ nodes, edges }: ShownGraph): FactRow[] {
  return nodes.map((node) => {
    const what = node.kind === 'step' ? `calls ${node.endpoint}` : `if ${visibleText(node.expression)}`;
    const before = edges
      .filter(({ to }) => to === node.id)
      .map(({ from, when }) => `${from}${whenText(when)}`);
    return { label: node.id, text: `${what}  after ${before.join(', ')}` };
  });
}

function triggerText(type: ShownSummary['trigger']['type'], isPublic: boolean, isSigned: boolean): string {
  const ways = [type === 'webhook' ? 'webhook' : 'manual', ...(isSigned ? ['signed'] : [])];
  return [...ways, ...(isPublic ? ['public'] : [])].join(', ');
}

function whenText(when: boolean | undefined): string {
  return when === undefined ? '' : ` (${when})`;
}

/** `svc pipelines list`: all pipelines of the workspace. */
export async function listPipelines(options: ServiceOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const pages = allItems((cursor) => api.listPipelines({ query: { limit: 100, cursor } }));
  const all: ShownSummary[] = await orFail(Array.fromAsync(pages));
  if (options.json) for (const one of all) process.stdout.write(`${JSON.stringify(one)}\n`);
  else if (all.length === 0) process.stderr.write('no pipelines\n');
  else writeRows(process.stdout, all.flatMap(pipelineRows));
}

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
