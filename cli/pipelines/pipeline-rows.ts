import type { ApiClient } from '@svc/core/api/client/client-of';
import { visibleText } from '@svc/core/text/visible-text';
import { plural } from '../plural.ts';
import type { Row } from '../terminal.ts';

/** A pipeline as the service tells it, without its graph. */
export type ShownSummary = Awaited<ReturnType<ApiClient['listPipelines']>>['items'][number];
type ShownGraph = Pick<Awaited<ReturnType<ApiClient['showPipeline']>>, 'nodes' | 'edges'>;

/** What it is, where it is started, and what keeps it from that. */
export function pipelineRows(pipeline: ShownSummary): Row[] {
  const { slug, url, trigger, agent_name: agent, node_count: count, problems, description } = pipeline;
  const facts = [
    beginning(trigger.type, trigger.public, pipeline.has_secret),
    plural(count, 'node'),
    agent === null ? 'made here' : `of the file of agent "${agent}"`,
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

/** Each node, what it does and what it comes after. */
export function graphRows({ nodes, edges }: ShownGraph): Row[] {
  return nodes.map((node) => {
    const what = node.kind === 'step' ? `calls ${node.endpoint}` : `if ${visibleText(node.expression)}`;
    const before = edges.filter(({ to }) => to === node.id).map(({ from, when }) => `${from}${answer(when)}`);
    return { label: node.id, text: `${what}  after ${before.join(', ')}` };
  });
}

function beginning(type: ShownSummary['trigger']['type'], isPublic: boolean, isSigned: boolean): string {
  const ways = [type === 'webhook' ? 'by a webhook' : 'by a call', ...(isSigned ? ['signed'] : [])];
  return [...ways, ...(isPublic ? ['public'] : [])].join(', ');
}

function answer(when: boolean | undefined): string {
  return when === undefined ? '' : ` (${when})`;
}
