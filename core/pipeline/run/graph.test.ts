import { expect, test } from 'bun:test';
import { LIMITS } from '../../plan/limits.ts';
import { checkPipeline } from '../definition/check-pipeline.ts';
import { graphOf } from './graph.ts';

/** This many steps, to each of which the last one refers. */
function graphWith(steps: number, field: string) {
  const first = Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, endpoint: 'e' }));
  const references = first.map(({ id }) => [id, `{steps.${id}.${field}}`]);
  const last = {
    id: 'last',
    endpoint: 'e',
    needs: first.map(({ id }) => id),
    args: Object.fromEntries(references),
  };
  const checked = checkPipeline({ slug: 'x', trigger: { type: 'manual' }, nodes: [...first, last] });
  if (checked.kind === 'issues') throw new Error(JSON.stringify(checked.issues));
  return graphOf(checked.pipeline);
}

test.each([
  [1, 'output', LIMITS.stepResultBytes],
  [64, 'data.x', LIMITS.stepResultBytes],
  [999, 'output', LIMITS.runResultsBytes / 999],
  [999, 'exit_code', LIMITS.stepResultBytes],
])(
  'of %i steps with a reference to their %s each may leave its share of what a run holds',
  (steps, field, most) => {
    const { resultBytes } = graphWith(steps, field);
    expect(resultBytes).toBe(Math.floor(most));
    expect(resultBytes).toBeGreaterThanOrEqual(LIMITS.valueBytes);
  },
);
