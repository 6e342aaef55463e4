import type { ApiClient } from '@svc/core/api/client/client-of';
import { visibleText } from '@svc/core/text/visible-text';
import { plural } from '../plural.ts';
import type { Row } from '../terminal.ts';

/** A pipeline of the API without its graph. */
export type ShownSummary = Awaited<ReturnType<ApiClient['listPipelines']>>['items'][number];
type ShownGraph = Pick<Awaited<ReturnType<ApiClient['showPipeline']>>, 'nodes' | 'edges'>;

/** The URL, the facts and the problems of a pipeline. */
export function pipelineRows(pipeline: ShownSummary): Row[] {
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
      ({ path, message }): Row => ({
        label: 'PROBLEM',
        text: visibleText(`${path}: ${message}`),
        tone: 'warning',
      }),
    ),
  ];
}

/** The nodes with their content and predecessors. */
export function graphRows({ nodes, edges }: ShownGraph): Row[] {
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
