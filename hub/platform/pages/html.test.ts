import { expect, test } from 'bun:test';
import { escapeHtml } from '@svc/core/html/escape-html';
import fc from 'fast-check';
import { type Html, html } from './html.ts';
import { page } from './page.ts';

test('an inserted text shows itself, in an element and in an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>"\'& a=/;') }), (text) => {
      const escaped = escapeHtml(text);
      expect(html`<p title="${text}">${text}</p>`.toString()).toBe(`<p title="${escaped}">${escaped}</p>`);
    }),
  );
});

test('markup inside markup is not escaped again, in lists and in order', () => {
  const rows = ['<1>', '&2'].map((row) => html`<dd>${row}</dd>`);
  expect(html`<dl>${rows}${undefined}${3}</dl>`.toString()).toBe(
    '<dl><dd>&lt;1&gt;</dd><dd>&amp;2</dd>3</dl>',
  );
});

test('a title is escaped, and text cannot stand for markup', async () => {
  // @ts-expect-error A text is no markup.
  const text: Html = '<b>';
  const shown = await page('<i>', html`${String(text)}`).text();
  expect(shown).toContain('<title>&lt;i&gt;</title>');
  expect(shown).toContain('<h1>&lt;i&gt;</h1>&lt;b&gt;');
});
