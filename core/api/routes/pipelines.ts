import { z } from 'zod';
import { byEndpoint, principal } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { PAGE_QUERY, pageSchema } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import {
  EXAMPLE_CHECK,
  EXAMPLE_NEW_PIPELINE,
  EXAMPLE_PIPELINE,
  EXAMPLE_PIPELINE_VERSION,
  EXAMPLE_SUMMARY,
  EXAMPLE_VERSION_HEAD,
  newPipeline,
  pipeline,
  pipelineChange,
  pipelineCheck,
  pipelineSummary,
  pipelineVersion,
  pipelineVersionHead,
} from './pipeline-schemas.ts';

const IF_MATCH = {
  'If-Match':
    'The version that the change is based on, from `ETag`. The change is refused if a newer version exists.',
} as const;

/** Definitions of pipelines; pipeline-runs.ts has their runs (reference 2.5, decisions 2, 33, 40 to 43). */
export const pipelineRouteRows = {
  listPipelines: {
    method: 'GET',
    path: '/pipelines',
    summary: 'List pipelines',
    access: byEndpoint(principal('pipeline.view'), 'view'),
    query: z.strictObject({
      ...PAGE_QUERY,
      tag: z
        .string()
        .max(64, { error: 'up to 64 characters' })
        .optional()
        .describe('Only pipelines with this tag.'),
    }),
    answers: {
      200: json('The pipelines, without their graphs.', pageSchema(pipelineSummary), {
        items: [EXAMPLE_SUMMARY],
        next_cursor: null,
      }),
    },
  },
  createPipeline: {
    method: 'POST',
    path: '/pipelines',
    summary: 'Create a pipeline',
    description:
      'The refusal lists every problem with its place; in expressions also the character. A ' +
      'secret is never shown again; `$svc:NAME` uses a managed secret.',
    access: principal('pipeline.edit'),
    body: body(newPipeline, EXAMPLE_NEW_PIPELINE),
    answers: {
      201: json('The new pipeline. `Location` has its URL.', pipeline, EXAMPLE_PIPELINE),
    },
    refusals: ['slug_taken'],
  },
  checkPipeline: {
    method: 'POST',
    path: '/pipelines/check',
    summary: 'Check a pipeline without saving it',
    description: 'For editors: the checks of `POST /pipelines`, except whether the slug is free.',
    access: principal('pipeline.edit'),
    body: body(newPipeline, EXAMPLE_NEW_PIPELINE),
    answers: { 200: json('The problems of the definition.', pipelineCheck, EXAMPLE_CHECK) },
  },
  showPipeline: {
    method: 'GET',
    path: '/pipelines/{slug}',
    summary: 'Show a pipeline',
    access: byEndpoint(principal('pipeline.view'), 'view'),
    answers: { 200: json('The pipeline.', pipeline, EXAMPLE_PIPELINE) },
  },
  changePipeline: {
    method: 'PATCH',
    path: '/pipelines/{slug}',
    summary: 'Change a pipeline',
    description:
      'Fields of the trigger change one by one; its secret stays until you send another one or null. `nodes` and `edges` ' +
      'are replaced whole; nodes with `needs` also replace the edges. Change a pipeline from a file in the file.',
    access: principal('pipeline.edit'),
    headers: IF_MATCH,
    body: body(pipelineChange, { trigger: { public: true }, description: null }),
    answers: { 200: json('The changed pipeline.', pipeline, EXAMPLE_PIPELINE) },
    refusals: ['slug_taken', 'managed_by_config', 'version_conflict', 'precondition_failed'],
  },
  deletePipeline: {
    method: 'DELETE',
    path: '/pipelines/{slug}',
    summary: 'Delete a pipeline',
    description: 'Its runs continue. To delete a pipeline from a file, remove it from the file.',
    access: principal('pipeline.edit'),
    headers: IF_MATCH,
    answers: { 204: empty('The pipeline is deleted.') },
    refusals: ['managed_by_config', 'precondition_failed'],
  },
  listPipelineVersions: {
    method: 'GET',
    path: '/pipelines/{slug}/versions',
    summary: 'List the versions of a pipeline',
    access: principal('pipeline.view'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The versions, newest first.', pageSchema(pipelineVersionHead), {
        items: [EXAMPLE_VERSION_HEAD],
        next_cursor: null,
      }),
    },
  },
  showPipelineVersion: {
    method: 'GET',
    path: '/pipelines/{slug}/versions/{version}',
    summary: 'Show a version of a pipeline',
    access: principal('pipeline.view'),
    answers: { 200: json('The version, with its definition.', pipelineVersion, EXAMPLE_PIPELINE_VERSION) },
  },
} as const satisfies Routes;
