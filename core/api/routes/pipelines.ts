import { z } from 'zod';
import { member } from '../contract/access.ts';
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
  'If-Match': 'The version that the change is for, as `ETag` gave it: refused when there is a newer one.',
} as const;

/** Endpoints chained in graphs: what they are, not their runs (reference 2.5, decisions 2, 33, 40 to 43). */
export const pipelineRouteRows = {
  listPipelines: {
    method: 'GET',
    path: '/pipelines',
    summary: 'List pipelines',
    access: member('pipeline.view'),
    query: z.strictObject(PAGE_QUERY),
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
      'Everything that is wrong with it is told at once, each with its place; in expressions with the character, too. A ' +
      'secret is not shown again; `$svc:NAME` takes a managed one.',
    access: member('pipeline.edit'),
    body: body(newPipeline, EXAMPLE_NEW_PIPELINE),
    answers: {
      201: json('It can be started; its URL is in `Location`, too.', pipeline, EXAMPLE_PIPELINE),
    },
    refusals: ['slug_taken'],
  },
  checkPipeline: {
    method: 'POST',
    path: '/pipelines/check',
    summary: 'Check a pipeline without saving it',
    description:
      'For editors: the same checks as those of `POST /pipelines`, but for whether its slug is free.',
    access: member('pipeline.edit'),
    body: body(newPipeline, EXAMPLE_NEW_PIPELINE),
    answers: { 200: json('What is wrong with it.', pipelineCheck, EXAMPLE_CHECK) },
  },
  showPipeline: {
    method: 'GET',
    path: '/pipelines/{slug}',
    summary: 'Show a pipeline',
    access: member('pipeline.view'),
    answers: { 200: json('The pipeline.', pipeline, EXAMPLE_PIPELINE) },
  },
  changePipeline: {
    method: 'PATCH',
    path: '/pipelines/{slug}',
    summary: 'Change a pipeline',
    description:
      'Fields of the trigger are changed one by one; its secret stays until another is sent, or null. `nodes` and `edges` ' +
      'are replaced whole; nodes with `needs` replace the edges, too. One from a file is changed in the file.',
    access: member('pipeline.edit'),
    headers: IF_MATCH,
    body: body(pipelineChange, { trigger: { public: true }, description: null }),
    answers: { 200: json('The whole pipeline.', pipeline, EXAMPLE_PIPELINE) },
    refusals: ['slug_taken', 'managed_by_config', 'version_conflict', 'precondition_failed'],
  },
  deletePipeline: {
    method: 'DELETE',
    path: '/pipelines/{slug}',
    summary: 'Delete a pipeline',
    description: 'Its runs go on. One from a file is taken out of the file instead.',
    access: member('pipeline.edit'),
    headers: IF_MATCH,
    answers: { 204: empty('It can be started no more.') },
    refusals: ['managed_by_config', 'precondition_failed'],
  },
  listPipelineVersions: {
    method: 'GET',
    path: '/pipelines/{slug}/versions',
    summary: 'List the versions of a pipeline',
    access: member('pipeline.view'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The newest first.', pageSchema(pipelineVersionHead), {
        items: [EXAMPLE_VERSION_HEAD],
        next_cursor: null,
      }),
    },
  },
  showPipelineVersion: {
    method: 'GET',
    path: '/pipelines/{slug}/versions/{version}',
    summary: 'Show a version of a pipeline',
    access: member('pipeline.view'),
    answers: { 200: json('The version, with its definition.', pipelineVersion, EXAMPLE_PIPELINE_VERSION) },
  },
} as const satisfies Routes;
