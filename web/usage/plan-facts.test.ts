import { expect, test } from 'bun:test';
import { PLAN_FACTS, planFacts } from './plan-facts.ts';

function factsOf(plan: 'free' | 'pro' | 'team' | 'unlimited') {
  return Object.fromEntries(planFacts(plan).map((fact, row) => [PLAN_FACTS[row]?.label, fact]));
}

test('the table says of each plan what reference 8 says', () => {
  expect(factsOf('free')).toMatchObject({
    Schedules: 'none',
    'Hosted executions per month': 'none',
  });
  expect(factsOf('pro')).toMatchObject({
    Schedules: '3',
    'Hosted: CPU and memory': '1 vCPU, 512 MB',
    'Hosted: max timeout': '120 s',
    'Hosted: concurrency limit': '5',
    'Hosted executions per month': '5,000',
  });
  expect(factsOf('team')).toMatchObject({
    Seats: '3',
    Schedules: 'unlimited',
    'Hosted: CPU and memory': '2 vCPU, 2 GB',
  });
  expect(factsOf('unlimited')).toMatchObject({ 'Executions per month': 'unlimited', Seats: 'unlimited' });
});
