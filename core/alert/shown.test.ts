import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { layOutLetter } from '../mail/letter.ts';
import { alertLetter } from './alert-letter.ts';
import { chatMessage } from './chat-message.ts';
import { ALERT_EVENTS } from './event.ts';
import { shownValue } from './shown-value.ts';
import { wordsOf } from './words.ts';

const HOSTILE = [
  'rm -rf /\nEndpoint: harmless',
  '\u202egnp.exe',
  '<!channel> <https://evil.example|click>',
  '`*bold*` @here',
  '<script>alert(1)</script>',
  'https://evil.example/x?y=1 www.evil.example evil.example ada@evil.example mailto:x@evil.example',
  'a\u200bb\u2066c\u2029d\0e\ud800',
];

/** The text between `` ` `` and `` ` `` in a line of a chat message. */
function valuesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => /^[A-Z][\w ]*: `(.*)`$/u.exec(line)?.[1] ?? []);
}

test('nothing that cannot be seen, or turns the order around, is left in a value', () => {
  expect(shownValue('a\nb\u202e\0', 100)).toBe('a‹\\n›b‹U+202E›‹\\0›');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(shownValue(value, 1_000)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

test('a cut text shows how much is missing', () => {
  expect(shownValue('x'.repeat(10_000), 100)).toBe(`${'x'.repeat(100)} … (9900 more characters)`);
});

test('in a chat no value leaves the form of code, whatever is in it', () => {
  for (const command of HOSTILE) {
    const words = wordsOf('approval.pending', { command, endpoint: 'deploy', expires_at: 'soon' });
    const { text, blocks } = chatMessage(words, 'https://svc.example/approve/abc');
    expect(valuesIn(text)).toHaveLength(3);
    for (const value of valuesIn(text)) expect(value).not.toMatch(/[`<>]|&(?!amp;|lt;|gt;)/);
    const links = [text, ...blocks.map((block) => block.text.text)].flatMap(
      (one) => one.match(/<[^>]*>/g) ?? [],
    );
    expect(new Set(links)).toEqual(new Set(['<https://svc.example/approve/abc|Look and decide>']));
    expect(blocks.every((block) => block.text.verbatim && block.text.text.length <= 3_000)).toBe(true);
  }
});

test('the longest command and error fit into a section of a chat', () => {
  for (const character of ['&', '\u202e', '🙂', '`']) {
    const words = wordsOf('approval.pending', { command: character.repeat(10_240) });
    for (const { text } of chatMessage(words, undefined).blocks)
      expect(text.text.length).toBeLessThanOrEqual(3_000);
  }
});

test('values in a mail are visible text that no program turns into an address', () => {
  for (const error of HOSTILE) {
    const letter = alertLetter(
      wordsOf('execution.failed', { error, endpoint: 'deploy' }),
      { rule: error },
      undefined,
    );
    const { subject, text, html } = layOutLetter(letter);
    expect(subject).toBe('An execution has failed');
    expect(html).not.toMatch(/<script|<!channel|href/);
    for (const form of [text, html.replace(/[\s\S]*<body[^>]*>/, '')])
      expect(form).not.toMatch(/https?:\/\/evil|www\.evil|evil\.example|\w@\w|mailto:\w/);
  }
});

test('every event has words', () => {
  for (const name of ALERT_EVENTS) expect(wordsOf(name, {}).title).toMatch(/^\S.*\S$/);
});
