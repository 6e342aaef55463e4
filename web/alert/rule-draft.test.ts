import { expect, test } from 'bun:test';
import { changedRule, eventsWith, newRule, type RuleDraft, ruleDraftOf, ruleProblems } from './rule-draft.ts';

const DRAFT: RuleDraft = {
  name: ' on call ',
  channel: 'webhook',
  target: ' https://hooks.example.com/x ',
  events: new Set(['agent.offline']),
  endpoint: '',
  agent: ' build ',
  noSuccessMins: '',
};

test('a new rule has what was written, without spaces around it and without filters that are empty', () => {
  expect(newRule(DRAFT)).toEqual({
    name: 'on call',
    channel: 'webhook',
    target: 'https://hooks.example.com/x',
    events: ['agent.offline'],
    agent: 'build',
  });
});

test('a change removes a filter that was emptied, and keeps a target that another form wrote', () => {
  expect(changedRule({ ...DRAFT, target: ' ', agent: '' })).toEqual({
    name: 'on call',
    events: ['agent.offline'],
    endpoint: null,
    agent: null,
    no_success_mins: null,
  });
});

test('a rule that waits for a success has its minutes, and needs them and an endpoint', () => {
  const waiting = { ...DRAFT, events: new Set(['no_success_since'] as const), endpoint: 'backup' };
  expect(newRule({ ...waiting, noSuccessMins: '1500' })).toMatchObject({ no_success_mins: 1500 });
  expect(changedRule({ ...waiting, noSuccessMins: '5' })).toMatchObject({ no_success_mins: 5 });
  expect(ruleProblems({ ...waiting, noSuccessMins: '40320' }, true).noSuccessMins).toBeUndefined();
  for (const noSuccessMins of ['', '0', '1.5', '40321', 'x'])
    expect(ruleProblems({ ...waiting, endpoint: ' ', noSuccessMins }, true)).toMatchObject({
      endpoint: 'Enter the endpoint or pipeline that must succeed.',
      noSuccessMins: 'Enter whole minutes from 1 to 40320.',
    });
});

test('a new rule needs a name, a target and an event; one that there is keeps its target', () => {
  const none = { endpoint: undefined, noSuccessMins: undefined };
  const problems = { ...none, name: 'Enter a name.', events: 'Select at least one event.' };
  const empty = ruleDraftOf(undefined);
  expect(ruleProblems(empty, true)).toEqual({ ...problems, target: 'Enter a URL.' });
  expect(ruleProblems({ ...empty, channel: 'email' }, true).target).toBe('Enter the email of a member.');
  expect(ruleProblems(empty, false)).toEqual({ ...problems, target: undefined });
  expect(ruleProblems(DRAFT, true)).toEqual({
    ...none,
    name: undefined,
    events: undefined,
    target: undefined,
  });
});

test('events stay in the order in which they are listed', () => {
  const more = eventsWith(DRAFT, 'approval.pending', true);
  expect([...more]).toEqual(['approval.pending', 'agent.offline']);
  expect([...eventsWith({ ...DRAFT, events: more }, 'agent.offline', false)]).toEqual(['approval.pending']);
});
