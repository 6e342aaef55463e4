import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteQuery } from '@svc/core/api/routes';
import type { Command } from 'commander';
import { action, listed, printedText, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Template = Awaited<ReturnType<ApiClient['listTemplates']>>['templates'][number];

/** `svc templates`: the gallery of ready-made endpoints. */
export function templatesCommand(): Command {
  return resourceCommand({
    name: 'templates',
    examples: [
      'svc templates --search disk',
      'svc templates show disk-usage > svc.yaml    take the file and change it',
      'svc templates import disk-usage             create its endpoints in the workspace',
      'svc call disk-usage',
    ],
    notes: ['An import overwrites nothing: an endpoint whose name is taken is skipped.'],
    actions: [
      action<{ search?: string; category?: string }>({
        name: 'list',
        summary: 'list the templates of the gallery',
        isDefault: true,
        options: [
          ['--search <words>', 'only templates that contain all these words'],
          ['--category <category>', 'only templates of this category'],
        ],
        run: (api, { search, category }) => {
          // The service checks the category.
          const query = { search, category: category as RouteQuery<'listTemplates'>['category'] };
          const page = async () => ({
            items: (await api.listTemplates({ query })).templates,
            next_cursor: null,
          });
          return listed(page, rowOf, 'no templates');
        },
      }),
      action<{ template: string }>({
        name: 'show',
        summary: 'print the svc.yaml of a template',
        arguments: [['<template>', 'the id of the template']],
        run: async (api, { template }) => {
          const found = await api.showTemplate({ parameters: { template_id: template } });
          return printedText(found, found.yaml);
        },
      }),
      action<{ template: string }>({
        name: 'import',
        aliases: ['create'],
        summary: 'create the endpoints of a template in the workspace',
        arguments: [['<template>', 'the id of the template']],
        run: async (api, { template }) => {
          const imported = await api.importTemplate({ body: { template_id: template } });
          return shown(imported, [
            ...imported.created.map(({ slug, url }) => ({ label: slug, text: url })),
            ...imported.skipped.map(
              ({ slug }): FactRow => ({ label: slug, text: 'skipped: the name is taken', tone: 'warning' }),
            ),
          ]);
        },
      }),
    ],
  });
}

function rowOf({ template_id: id, category, description, endpoints }: Template): FactRow {
  const slugs = endpoints.map(({ slug }) => slug).join(', ');
  return { label: id, text: `${category}  ${description}  (${slugs})` };
}
