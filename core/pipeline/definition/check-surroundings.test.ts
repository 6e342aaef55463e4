import { describe, expect, test } from 'bun:test';
import { formatPath } from '../../config/validation-issue.ts';
import type { Argument } from '../../endpoint/definition.ts';
import type { StepSurroundings } from './check-call.ts';
import { checkPipeline } from './check-pipeline.ts';
import { surroundingsIssues } from './check-surroundings.ts';

/** An endpoint that everybody may run, and that takes no variables. */
const OPEN = { acceptsEnv: [], approvalRequired: false, allowSelf: true } as const;
const argument = (name: string, more: Partial<Argument> = {}): Argument => ({
  name,
  required: false,
  type: 'text',
  inferred: false,
  secret: false,
  allowDash: false,
  ...more,
});
const having = (args: readonly Argument[]): StepSurroundings => ({
  endpoints: new Map([['deploy', { args, ...OPEN }]]),
  agents: ['default', 'linux'],
});
const value = {
  slug: 'release',
  trigger: { type: 'webhook', input_schema: [{ name: 'to', type: 'string' }] },
  nodes: [
    { id: 'gate', expression: '{input.to} != null' },
    {
      id: 'one',
      endpoint: 'deploy',
      args: { to: '{input.to}', level: '3' },
      agent_name: 'linux',
      needs: ['gate'],
    },
  ],
};
const BEFORE = having([argument('to', { required: true }), argument('level', { type: 'integer' })]);

/** The issues of a pipeline that was valid when it was saved, in the present surroundings. */
function found(now: StepSurroundings, definition: object = value): string[] {
  const checked = checkPipeline(definition, BEFORE);
  if (checked.kind === 'issues') throw new Error(JSON.stringify(checked.issues));
  return surroundingsIssues(checked.pipeline, now).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  );
}

describe('a pipeline that was sound when it was saved', () => {
  test('is sound as long as what it uses is', () => {
    expect(found(BEFORE)).toEqual([]);
  });

  const table: readonly [string, StepSurroundings, string][] = [
    [
      'whose endpoint is gone',
      { ...BEFORE, endpoints: new Map() },
      'nodes[1].endpoint: there is no endpoint "deploy"; there is none',
    ],
    [
      'whose endpoint lost an argument',
      having([argument('to')]),
      'nodes[1].args.level: endpoint "deploy" has no argument "level"; there are to',
    ],
    [
      'whose endpoint wants another argument',
      having([argument('to'), argument('level'), argument('who', { required: true })]),
      'nodes[1].args: argument "who" is required; give it a value or a reference',
    ],
    [
      'whose value does not fit any more',
      having([argument('to'), argument('level', { type: 'boolean' })]),
      'nodes[1].args.level: argument "level": "3" is neither true nor false',
    ],
    [
      'whose agent is unknown',
      { ...BEFORE, agents: ['default', 'linus'] },
      'nodes[1].agent_name: there is no agent "linux"; did you mean "linus"?',
    ],
  ];
  test.each(table)('%s is reported with its place', (_what, now, message) => {
    expect(found(now)).toEqual([message]);
  });

  test('may name an agent that a run fills in, or that is not known yet', () => {
    const [gate, one] = value.nodes;
    const filled = { ...value, nodes: [gate, { ...one, agent_name: '{input.to}' }] };
    expect(found({ ...BEFORE, agents: [] }, filled)).toEqual([]);
    expect(found({ endpoints: BEFORE.endpoints })).toEqual([]);
  });
});

test('a file may call endpoints outside it, and its own endpoints are still checked', () => {
  const nodes = [
    { id: 'a', endpoint: 'elsewhere', args: { whatever: 1 } },
    { id: 'b', endpoint: 'deploy' },
  ];
  const checked = checkPipeline({ slug: 'a', nodes }, { ...BEFORE, hasOthers: true });
  expect(checked.kind === 'issues' && checked.issues.map(({ path }) => formatPath(path))).toEqual([
    'nodes[1].args',
  ]);
});
