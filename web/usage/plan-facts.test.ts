import { expect, test } from 'bun:test';
import { PLAN_FACTS, planFacts } from './plan-facts.ts';

function factsOf(plan: 'free' | 'pro' | 'team' | 'unlimited') {
  return Object.fromEntries(planFacts(plan).map((fact, row) => [PLAN_FACTS[row]?.label, fact]));
}

test('the table says of each plan what reference 8 says', () => {
  expect(factsOf('free')).toMatchObject({
    'Endpoints with a schedule': 'none',
    'Hosted executions a month': 'none',
  });
  expect(factsOf('pro')).toMatchObject({
    'Endpoints with a schedule': '3',
    'Hosted: processor and memory': '1 vCPU, 512 MB',
    'Hosted: longest time': '120 s',
    'Hosted at the same time': '5',
    'Hosted executions a month': '5,000',
  });
  expect(factsOf('team')).toMatchObject({
    Seats: '3',
    'Endpoints with a schedule': 'unlimited',
    'Hosted: processor and memory': '2 vCPU, 2 GB',
  });
  expect(factsOf('unlimited')).toMatchObject({ 'Executions a month': 'unlimited', Seats: 'unlimited' });
});
