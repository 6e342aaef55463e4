import { expect, test } from 'bun:test';
import { z } from 'zod';
import { answerDefaults, answerFields } from './answer-fields.ts';

const DEFINITION = {
  slug: z.string().min(3),
  limit: z.int().min(1).optional(),
  public: z.boolean().default(false),
  approvers: z.array(z.string()).min(1).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  mode: z.enum(['fast', 'safe']).default('safe'),
};

test('an answer has the types of a definition without its bounds, and null for absent fields', () => {
  const answer = z.strictObject(answerFields(DEFINITION, 'null'));
  const whole = { slug: '', limit: 0, public: true, approvers: [], env: { A: '1' }, mode: 'fast' };
  expect(answer.safeParse(whole).success).toBe(true);
  expect(answer.safeParse({ ...whole, limit: null, approvers: null }).success).toBe(true);
  for (const wrong of [
    { limit: 1.5 },
    { limit: undefined },
    { env: { A: 1 } },
    { mode: 'slow' },
    { public: null },
  ])
    expect(answer.safeParse({ ...whole, ...wrong }).success).toBe(false);
});

test('an answer can leave absent fields out instead', () => {
  const answer = z.strictObject(answerFields(DEFINITION, 'left out'));
  const required = { slug: 'a', public: true, env: {}, mode: 'fast' };
  expect(answer.safeParse(required).success).toBe(true);
  expect(answer.safeParse({ ...required, limit: null }).success).toBe(false);
});

test('the fields of a definition without values are its defaults and null', () => {
  const { slug: _required, ...others } = DEFINITION;
  expect(answerDefaults(others)).toEqual({
    limit: null,
    public: false,
    approvers: null,
    env: {},
    mode: 'safe',
  });
});
