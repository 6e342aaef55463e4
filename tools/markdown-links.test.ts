import { expect, test } from 'bun:test';
import { anchorsIn, citationsIn, decisionsIn, linksIn, pathsIn } from './markdown-links.ts';

test('finds links and images with their lines, and none in code', () => {
  const text = [
    'See [one](a.md#top) and ![two](b.png "title").',
    '',
    '```md',
    '[not](this.md)',
    '```',
    '`[nor](that.md)` but <img src="c.svg">',
  ].join('\n');
  expect(linksIn(text)).toEqual([
    { target: 'a.md#top', line: 1 },
    { target: 'b.png', line: 1 },
    { target: 'c.svg', line: 6 },
  ]);
});

test('a longer fence holds a shorter one', () => {
  expect(linksIn('````\n```\n[a](b)\n```\n````\n[c](d)')).toEqual([{ target: 'd', line: 6 }]);
});

test('makes the anchors of GitHub: without punctuation, repeated headings numbered', () => {
  const text =
    '# `svc.yaml`\n## 4.1 Who may do what?\n## Two\n## Two\n## A [link](b.md), and more\n<a id="decision-7"></a>';
  expect([...anchorsIn(text)]).toEqual([
    'svcyaml',
    '41-who-may-do-what',
    'two',
    'two-1',
    'a-link-and-more',
    'decision-7',
  ]);
});

test('finds paths of the repository, and no globs or commands', () => {
  const text =
    '`core/refusal.ts`, `hub/approvals/`, `core/*.ts`, `npm test`, `receivers/level.ts`, `docs/a{b}.md`';
  expect(pathsIn(text).map(({ target }) => target)).toEqual(['core/refusal.ts', 'hub/approvals/']);
});

test.each([
  ['decision 12', [12]],
  ['Decisions 24 and 28 to 33 say why', [24, 28, 33]],
  ['decisions 14, 19–21 and 23', [14, 19, 21, 23]],
  ['[decisions.md](../internals/decisions.md), 24, 37 and 38', [24, 37, 38]],
  ['(decision 50, 30 s)', [50]],
  ['a decision of 12 people', []],
])('reads the decisions that are cited: %s', (text, numbers) => {
  expect(citationsIn(text).map(({ number }) => number)).toEqual(numbers);
});

test('a decision exists when it has an anchor', () => {
  expect([...decisionsIn('<a id="decision-3"></a>\n\n### 3. Usernames\n### 4. No anchor')]).toEqual([3]);
});
