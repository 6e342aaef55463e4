import { expect, test } from 'bun:test';
import { ARTIFACT_LIMITS } from './limits.ts';
import { artifactNameProblem, shownArtifactName } from './name.ts';

test.each([
  'app.zip',
  'dist/app.txt',
  '...',
  'a b/ü😀.txt',
  '-rf',
  '~',
  'x'.repeat(ARTIFACT_LIMITS.nameBytes),
])('keeps the name %p', (name) => expect(artifactNameProblem(name)).toBeUndefined());

test.each([
  ['', 'path'],
  ['/etc/passwd', 'path'],
  ['../x', 'path'],
  ['a/../../x', 'path'],
  ['a/./b', 'path'],
  ['a//b', 'path'],
  ['a/', 'path'],
  ['..\\x', 'characters'],
  ['a\nb', 'characters'],
  ['a\0', 'characters'],
  ['gpj.\u202etxt', 'characters'],
  ['\ud800', 'characters'],
  ['not utf-8 \ufffd', 'characters'],
  ['ü'.repeat(ARTIFACT_LIMITS.nameBytes / 2 + 1), 'long'],
])('does not keep the name %p, and shows another', (name, word) => {
  expect(artifactNameProblem(name)).toContain(word);
  expect(artifactNameProblem(shownArtifactName(name))).toBeUndefined();
});
