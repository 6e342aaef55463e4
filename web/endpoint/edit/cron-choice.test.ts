import { describe, expect, test } from 'bun:test';
import { parseCron } from '@svc/core/schedule/cron';
import { type CronChoice, choiceOf, expressionOf, FIRST_CHOICE } from './cron-choice.ts';

describe('a schedule that is put together', () => {
  test.each<[string, CronChoice]>([
    ['', { kind: 'none' }],
    ['* * * * *', { kind: 'minutes', every: 1 }],
    ['*/15 * * * *', { kind: 'minutes', every: 15 }],
    ['5 * * * *', { kind: 'hourly', minute: 5 }],
    ['30 3 * * *', { kind: 'daily', time: '03:30' }],
    ['0 12 * * 1', { kind: 'weekly', weekday: 1, time: '12:00' }],
    ['0 12 1 * *', { kind: 'monthly', day: 1, time: '12:00' }],
  ])('%p is %p, and back', (expression, choice) => {
    expect(choiceOf(expression)).toEqual(choice);
    expect(expressionOf(choice)).toBe(expression);
  });

  test.each([
    '*/7 * * * *',
    '0 3 * 1 *',
    '0 3 1 * 1',
    '0 3,4 * * *',
    '0 3 * * 1-5',
    '*/5 3 * * *',
    '@daily',
    '0 3 * * * *',
  ])('%p stays an expression', (expression) => expect(choiceOf(expression).kind).toBe('custom'));

  test('Sunday has two numbers', () => {
    expect(choiceOf('0 3 * * 7')).toEqual({ kind: 'weekly', weekday: 0, time: '03:00' });
  });

  test('every first choice is an expression that the hub accepts', () => {
    for (const choice of Object.values(FIRST_CHOICE)) {
      const expression = expressionOf(choice);
      if (expression) expect(parseCron(expression).kind).toBe('cron');
    }
  });
});
