import type { WirePipeline } from './graph/wire-pipeline.ts';

const EXAMPLES = { string: 'text', number: 1, boolean: true, object: {}, array: [] } as const;

/** A shell command that starts a run, with a value for each declared field. */
export function pipelineCurl({ url, trigger }: Pick<WirePipeline, 'url' | 'trigger'>): string {
  const body = Object.fromEntries(trigger.input_schema.map(({ name, type }) => [name, EXAMPLES[type]]));
  return [
    `curl -N ${url}`,
    trigger.public ? '  -X POST' : '  -X POST -H "X-API-Key: $SVC_API_KEY"',
    ...(trigger.input_schema.length === 0 ? [] : [`  --json '${JSON.stringify(body)}'`]),
  ].join(' \\\n');
}
