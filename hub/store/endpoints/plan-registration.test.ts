import { describe, expect, test } from 'bun:test';
import { announced } from '../fixtures/samples.ts';
import { type CurrentEndpoint, planRegistration } from './plan-registration.ts';

const current = (slug: string, more: Partial<CurrentEndpoint> = {}): CurrentEndpoint => ({
  id: `id of ${slug}`,
  workspace_id: 'w1',
  slug,
  source: 'config',
  registered_by: 'default',
  version: 1,
  created_at_ms: 0,
  updated_at_ms: 0,
  definition_hash: announced(slug).definitionHash,
  definition: announced(slug).definition,
  overrides: null,
  ...more,
});

describe('what an agent announces against what the workspace has', () => {
  test('new ones are added, others changed, kept and removed', () => {
    const [kept, changed, removed] = [current('kept'), current('changed'), current('removed')];
    const now = [announced('kept'), announced('changed', 'date'), announced('new')];
    const plan = planRegistration('default', now, [kept, changed, removed]);
    expect(plan).toEqual({
      add: [announced('new')],
      change: [{ from: changed, to: announced('changed', 'date') }],
      keep: [kept],
      remove: [removed],
      refused: [],
    });
  });

  test("another agent's and the API's are refused and left alone, announced or not", () => {
    const others = [
      current('theirs', { registered_by: 'other' }),
      current('made', { source: 'api', registered_by: null }),
      current('silent', { registered_by: 'other' }),
    ];
    const plan = planRegistration('default', [announced('theirs'), announced('made')], others);
    expect(plan).toMatchObject({ add: [], change: [], keep: [], remove: [] });
    expect(plan.refused).toEqual([
      { slug: 'theirs', reason: '"theirs" was registered first by the agent "other"' },
      { slug: 'made', reason: '"made" was made through the API, and stays what it is there' },
    ]);
  });

  test('a slug that is announced twice counts once', () => {
    const plan = planRegistration('default', [announced('a'), announced('a', 'date')], []);
    expect(plan.add).toEqual([announced('a')]);
    expect(plan.refused.map(({ slug }) => slug)).toEqual(['a']);
  });
});
