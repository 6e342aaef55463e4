import { z } from 'zod';
import { TEMPLATE_CATEGORIES } from '../../template/category.ts';
import { OPEN, principal } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { oneOf } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ENDPOINT, endpoint } from './endpoint-schemas.ts';

const summary = z
  .strictObject({
    template_id: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    category: z.enum(TEMPLATE_CATEGORIES),
    endpoints: z.array(
      z.strictObject({
        slug: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        approval_required: z.boolean(),
        schedule: z.string().nullable().describe('Five fields of cron, in UTC.'),
        secrets: z.array(z.string()).describe('The managed secrets that the endpoint needs.'),
      }),
    ),
  })
  .meta({ id: 'TemplateSummary', description: 'A template as the gallery lists it.' });

const template = summary
  .extend({ yaml: z.string().describe('The whole `svc.yaml` of the template, comments included.') })
  .meta({ id: 'Template', description: 'Ready-made endpoints to import or copy.' });

const wanted = z
  .strictObject({ template_id: z.string({ error: 'the template_id of a template' }) })
  .meta({ id: 'WantedTemplate' });

const imported = z
  .strictObject({
    created: z.array(endpoint).describe('The created endpoints, as `POST /endpoints` answers them.'),
    skipped: z.array(
      z.strictObject({
        slug: z.string(),
        reason: z
          .enum(['slug_taken'])
          .describe('`slug_taken`: the existing endpoint keeps the slug and does not change.'),
      }),
    ),
  })
  .meta({ id: 'ImportedTemplate' });

const EXAMPLE = {
  template_id: 'disk-usage',
  name: 'Disk usage',
  description: 'How full each file system is, as a table.',
  tags: ['disk', 'df'],
  category: 'Monitoring',
  endpoints: [
    {
      slug: 'disk-usage',
      name: 'disk-usage',
      description: 'Each file system with its size and what is used of it',
      approval_required: false,
      schedule: null,
      secrets: [],
    },
  ],
} satisfies z.input<typeof summary>;

const YAML = 'version: 1\n\ntemplate:\n  name: Disk usage\n  …\n';

/** The gallery (references 2.8 and 4.4, decision 47, answers of the management API). */
export const templateRouteRows = {
  listTemplates: {
    method: 'GET',
    path: '/api/templates',
    summary: 'List the templates of the gallery',
    access: OPEN,
    query: z.strictObject({
      search: z
        .string()
        .max(200, { error: 'at most 200 characters' })
        .optional()
        .describe(
          'Only templates that contain all these words in the name, the description, a tag or an endpoint.',
        ),
      category: oneOf(TEMPLATE_CATEGORIES).optional().describe('Only templates of this category.'),
    }),
    answers: {
      200: json('All templates, by category.', z.strictObject({ templates: z.array(summary) }), {
        templates: [EXAMPLE],
      }),
    },
  },
  showTemplate: {
    method: 'GET',
    path: '/api/templates/{template_id}',
    summary: 'Show a template, with its YAML',
    access: OPEN,
    answers: { 200: json('The template.', template, { ...EXAMPLE, yaml: YAML }) },
  },
  importTemplate: {
    method: 'POST',
    path: '/api/templates/import',
    summary: 'Create the endpoints of a template in the workspace',
    description:
      'The result is ordinary endpoints. Nothing is overwritten: an endpoint whose slug is taken is skipped.',
    access: principal('endpoint.edit'),
    body: body(wanted, { template_id: 'disk-usage' }),
    answers: {
      201: json('The created and the skipped endpoints.', imported, {
        created: [EXAMPLE_ENDPOINT],
        skipped: [{ slug: 'disk-usage', reason: 'slug_taken' }],
      }),
    },
    refusals: ['not_found'],
  },
} as const satisfies Routes;
