import type { EndpointYaml } from '../../config-text.ts';

/** The endpoints of a pool of agents: each command leaves its execution's id where the test counts them, in one write. */
export function endpointsOf(pool: number, ranPath: string): EndpointYaml[] {
  const note = `echo "$SVC_EXECUTION_ID" >> ${ranPath}`;
  const args = [
    { name: 'tag', default: '' },
    { name: 'lines', type: 'integer', default: 3 },
    { name: 'pause', default: '0' },
  ];
  const command = `${note}; seq 1 {{lines}}; sleep {{pause}}; echo over`;
  return [
    { name: `job-${pool}`, command, args },
    { name: `guarded-${pool}`, command, args, approval_required: true },
    { name: `tick-${pool}`, command, args, schedule: '* * * * *' },
    { name: `bad-${pool}`, command: `${note}; echo {{tag}}; exit 3`, args: args.slice(0, 1) },
  ];
}

/** The lines that a whole execution has, by the arguments on its record. */
export function wholeOutput(slug: string, args: Readonly<Record<string, unknown>>): string {
  if (slug.startsWith('bad-')) return `${textOf(args.tag)}\n`;
  const lines = Number(args.lines ?? 3);
  return [...Array.from({ length: lines }, (_, index) => String(index + 1)), 'over', ''].join('\n');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Steps one after the other and side by side, a condition, a person, and one that is tried again. */
export function chainDefinition(pools: number): object {
  const step = (id: string, slug: string, pool: number, more: object = {}) => ({
    id,
    endpoint: `${slug}-${pool % pools}`,
    args: { tag: '{input.tag}' },
    ...more,
  });
  return {
    slug: 'chain',
    trigger: { type: 'webhook', input_schema: [{ name: 'tag', type: 'string', required: true }] },
    nodes: [
      step('first', 'job', 0),
      step('left', 'job', 1, { needs: ['first'], retry: { limit: 1, backoff: 0 } }),
      step('right', 'bad', 2, { needs: ['first'], on_failure: 'continue' }),
      {
        id: 'fork',
        kind: 'condition',
        expression: '{steps.left.exit_code} == 0',
        needs: ['left', 'right'],
      },
      step('guarded', 'guarded', 3, { needs: ['fork'] }),
      step('last', 'job', 4, { needs: ['guarded'] }),
    ],
  };
}
