import { expect, test } from 'bun:test';
import { findTemplates, type TemplateQuery } from './find-templates.ts';
import { templateOf } from './fixtures/templates.ts';

const GALLERY = [
  templateOf('logs'),
  templateOf('disk', { name: 'Disk space', description: 'Free KiB', tags: '[df]', category: 'Monitoring' }),
];

const idsOf = (query: TemplateQuery) => findTemplates(GALLERY, query).map(({ templateId }) => templateId);

test.each<[words: string, query: TemplateQuery, ids: string[]]>([
  ['nothing asked: all, in their order', {}, ['logs', 'disk']],
  ['only blanks: all', { text: ' \t' }, ['logs', 'disk']],
  ['a word of the name, in any case', { text: 'CONTAINERS' }, ['logs']],
  ['a part of a word of the description', { text: 'prog' }, ['logs']],
  ['a tag', { text: 'df' }, ['disk']],
  ['the slug of an endpoint', { text: 'nightly' }, ['logs', 'disk']],
  ['the description of an endpoint', { text: 'newest' }, ['logs', 'disk']],
  ['every word must be somewhere', { text: 'disk  newest' }, ['disk']],
  ['no word is found across two parts', { text: 'spaceFree' }, []],
  ['what is special in an expression is text', { text: '.*' }, []],
  ['the category alone', { category: 'Docker' }, ['logs']],
  ['the category with a text', { category: 'Docker', text: 'kib' }, []],
  ['a category without templates', { category: 'Git' }, []],
])('a gallery is narrowed: %s', (_words, query, ids) => {
  expect(idsOf(query)).toEqual(ids);
});
