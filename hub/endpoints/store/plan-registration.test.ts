import { describe, expect, test } from 'bun:test';
import type { CurrentPipeline } from '../../pipelines/store/pipeline-rows.ts';
import { announced, announcedPipeline } from '../../platform/db/fixtures/samples.ts';
import { type CurrentEndpoint, type CurrentFile, planRegistration } from './plan-registration.ts';

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
  secret_exposure: null,
  registered_token: null,
  registered_instance: null,
  ...more,
});

const currentPipeline = (slug: string, more: Partial<CurrentPipeline> = {}): CurrentPipeline => ({
  id: `id of ${slug}`,
  workspace_id: 'w1',
  slug,
  source: 'config',
  registered_by: 'default',
  version: 1,
  sealed_secret: null,
  created_at_ms: 0,
  updated_at_ms: 0,
  definition: announcedPipeline(slug).definition,
  ...more,
});

const having = (now: Partial<CurrentFile>): CurrentFile => ({ endpoints: [], pipelines: [], ...now });

describe('the plan of a registration', () => {
  test('adds, changes, keeps and removes endpoints', () => {
    const [kept, changed, removed] = [current('kept'), current('changed'), current('removed')];
    const now = [announced('kept'), announced('changed', 'date'), announced('new')];
    const plan = planRegistration(
      'default',
      { endpoints: now },
      having({ endpoints: [kept, changed, removed] }),
    );
    expect(plan.endpoints).toEqual({
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
    const file = { endpoints: [announced('theirs'), announced('made')] };
    const plan = planRegistration('default', file, having({ endpoints: others }));
    expect(plan.endpoints).toMatchObject({ add: [], change: [], keep: [], remove: [] });
    expect(plan.refused).toEqual([
      { slug: 'theirs', reason: '"theirs" was registered first by the agent "other"' },
      { slug: 'made', reason: '"made" was made through the API, and stays as it is there' },
    ]);
  });

  test('counts a slug once that is announced twice, also as an endpoint and as a pipeline', () => {
    const file = {
      endpoints: [announced('a'), announced('a', 'date')],
      pipelines: [announcedPipeline('a'), announcedPipeline('b')],
    };
    const plan = planRegistration('default', file, having({}));
    expect(plan.endpoints.add).toEqual([announced('a')]);
    expect(plan.pipelines.add).toEqual([announcedPipeline('b')]);
    expect(plan.refused.map(({ slug }) => slug)).toEqual(['a', 'a']);
  });

  test('refuses a slug that an endpoint or a pipeline of another owner has', () => {
    const file = { endpoints: [announced('run')], pipelines: [announcedPipeline('build')] };
    const theirs = { registered_by: 'other' };
    const now = { endpoints: [current('build', theirs)], pipelines: [currentPipeline('run', theirs)] };
    const plan = planRegistration('default', file, now);
    expect([plan.endpoints.add, plan.pipelines.add, plan.refused.map(({ slug }) => slug)]).toEqual([
      [],
      [],
      ['run', 'build'],
    ]);
  });

  test('turns an endpoint of the file into a pipeline and back', () => {
    const file = { endpoints: [announced('one')], pipelines: [announcedPipeline('two')] };
    const now = { endpoints: [current('two')], pipelines: [currentPipeline('one')] };
    const plan = planRegistration('default', file, now);
    expect(plan.endpoints).toMatchObject({ add: file.endpoints, remove: now.endpoints });
    expect(plan.pipelines).toMatchObject({ add: file.pipelines, remove: now.pipelines });
    expect(plan.refused).toEqual([]);
  });
});
