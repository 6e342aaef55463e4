import { expect, test } from 'bun:test';
import { templateFile, templateOf } from './fixtures/templates.ts';
import { wireTemplate, wireTemplates } from './wire-template.ts';

const template = templateOf('logs');
const SUMMARY = {
  template_id: 'logs',
  name: 'Logs of containers',
  description: 'Shows what a program wrote',
  tags: ['docker', 'tail'],
  category: 'Docker',
  endpoints: [
    {
      slug: 'logs',
      name: 'logs',
      description: 'The newest lines',
      approval_required: true,
      schedule: null,
      secrets: [],
    },
    {
      slug: 'nightly',
      name: 'nightly',
      description: null,
      approval_required: false,
      schedule: '0 4 * * *',
      secrets: ['USER'],
    },
  ],
};

test('the list says of each template what a card shows, and keeps the YAML back', () => {
  expect(wireTemplates([template])).toEqual({ templates: [SUMMARY] as never });
});

test('one template has its YAML too', () => {
  expect(wireTemplate(template)).toEqual({ ...SUMMARY, yaml: templateFile() } as never);
});
