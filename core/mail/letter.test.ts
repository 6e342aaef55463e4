import { expect, test } from 'bun:test';
import { layOutLetter } from './letter.ts';

const HOSTILE = `<img src=x onerror="a('b')">&amp;`;

test('a letter says the same in text and in HTML', () => {
  const { subject, text, html } = layOutLetter({
    subject: 'Hello',
    paragraphs: ['One & two.', 'Three.'],
    action: { label: 'Open', url: 'https://svc.example/login/a_b-c' },
    notes: ['Small print.'],
  });
  expect(subject).toBe('Hello');
  expect(text).toBe('One & two.\n\nThree.\n\nOpen:\nhttps://svc.example/login/a_b-c\n\nSmall print.\n');
  for (const part of [
    'One &amp; two.',
    'Three.',
    '>Open</a>',
    'href="https://svc.example/login/a_b-c"',
    'Small print.',
  ])
    expect(html).toContain(part);
});

test('no value becomes markup, wherever it stands', () => {
  const { html } = layOutLetter({
    subject: HOSTILE,
    paragraphs: [HOSTILE],
    action: { label: HOSTILE, url: `https://svc.example/${HOSTILE}` },
    notes: [HOSTILE],
  });
  expect(html).not.toContain('<img');
  expect(html.match(/&lt;img src=x onerror=&quot;a\(&#39;b&#39;\)&quot;&gt;&amp;amp;/g)).toHaveLength(6);
});

test('the HTML loads nothing: no pictures, scripts, styles or fonts of other servers', () => {
  const { html } = layOutLetter({
    subject: 's',
    paragraphs: ['p'],
    action: { label: 'l', url: 'https://h.example/' },
  });
  expect(html).not.toMatch(/<(?:img|script|link|style|iframe|object)|url\(|@import|src=/i);
  expect(html.match(/https?:/g)).toHaveLength(2);
});

test('lines of the text are short, but an address is never broken', () => {
  const url = `https://svc.example/join/${'x'.repeat(100)}`;
  const { text } = layOutLetter({
    subject: 's',
    paragraphs: ['word '.repeat(100).trim()],
    action: { label: 'Go', url },
  });
  for (const line of text.split('\n')) expect(line === url || line.length <= 72).toBe(true);
  expect(text.split('\n')).toContain(url);
});
