import { expect, test } from 'bun:test';
import { changedRule, newRule, type RuleDraft, ruleDraftOf, ruleProblems, withEvent } from './rule-draft.ts';

const DRAFT: RuleDraft = {
  name: ' on call ',
  channel: 'webhook',
  target: ' https://hooks.example.com/x ',
  events: new Set(['agent.offline']),
  endpoint: '',
  agent: ' build ',
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

test('a change takes away a filter that was emptied, and keeps a target that nobody wrote', () => {
  expect(changedRule({ ...DRAFT, target: ' ', agent: '' })).toEqual({
    name: 'on call',
    events: ['agent.offline'],
    endpoint: null,
    agent: null,
  });
});

test('a new rule needs a name, a target and an event; one that there is keeps its target', () => {
  const problems = { name: 'Enter a name.', events: 'Select at least one event.' };
  const empty = ruleDraftOf(undefined);
  expect(ruleProblems(empty, true)).toEqual({ ...problems, target: 'Enter a URL.' });
  expect(ruleProblems({ ...empty, channel: 'email' }, true).target).toBe('Enter the email of a member.');
  expect(ruleProblems(empty, false)).toEqual({ ...problems, target: undefined });
  expect(ruleProblems(DRAFT, true)).toEqual({ name: undefined, events: undefined, target: undefined });
});

test('events stay in the order in which they are listed', () => {
  const more = withEvent(DRAFT, 'approval.pending', true);
  expect([...more]).toEqual(['approval.pending', 'agent.offline']);
  expect([...withEvent({ ...DRAFT, events: more }, 'agent.offline', false)]).toEqual(['approval.pending']);
});
