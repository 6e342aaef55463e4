import { expect, test } from 'bun:test';
import { layOutLetter } from '@svc/core/mail/letter';
import { linkIn } from './link-in.ts';

const URL = 'https://svc.example.com/login/0a1b2c';

test('finds the address of what there is to do, and no other that the letter mentions', () => {
  const paragraphs = [`See https://elsewhere.example.com/ first. ${'Long words. '.repeat(9)}`];
  const letter = { subject: 'Sign in', paragraphs, notes: ['https://elsewhere.example.com/'] };
  expect(linkIn(layOutLetter({ ...letter, action: { label: 'Sign in', url: URL } }).text)).toBe(URL);
  expect(linkIn(layOutLetter(letter).text)).toBeUndefined();
});
