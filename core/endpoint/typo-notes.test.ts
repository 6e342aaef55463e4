import { expect, test } from 'bun:test';
import { typoNotes } from './typo-notes.ts';

test('a likely typo in a placeholder is noted with its place', () => {
  const command = 'echo {{ branch }} {{branch}} {{.branch}} {{brnach}} {{x}} $svc:';
  expect(typoNotes(command, [{ name: 'branch' }])).toEqual([
    {
      offset: 5,
      length: 12,
      message: '{{ branch }} is text here, not an argument; did you mean {{branch}}?',
    },
    { offset: 41, length: 10, message: '{{brnach}} is text here, not an argument; did you mean {{branch}}?' },
    {
      offset: 58,
      length: 5,
      message: '$svc: is followed by no name: $svc:NAME stands for the secret called NAME',
    },
  ]);
});
