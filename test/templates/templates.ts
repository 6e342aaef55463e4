import { formatProblem } from '@svc/core/config/problem';
import { readTemplate } from '@svc/core/template/read-template';
import type { Template } from '@svc/core/template/template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { CRON_JOBS } from './cases/cron-jobs.ts';
import { DATABASE } from './cases/database.ts';
import { DEPLOYMENT } from './cases/deployment.ts';
import { DOCKER } from './cases/docker.ts';
import { GIT } from './cases/git.ts';
import { MONITORING } from './cases/monitoring.ts';
import type { TemplateCases } from './template-case.ts';

/** The calls that are made of every endpoint, by its slug. */
export const CASES: TemplateCases = {
  ...DEPLOYMENT,
  ...DOCKER,
  ...DATABASE,
  ...GIT,
  ...MONITORING,
  ...CRON_JOBS,
};

/** All templates, in the order of their files. */
export const TEMPLATES = [...TEMPLATE_TEXTS].map(([id, text]) => read(id, text));
export const ENDPOINTS = TEMPLATES.flatMap(({ endpoints }) => endpoints);
/** Those of templates about files take bodies and files through a hub, and are run in files.test.ts. */
export const FILE_ENDPOINTS = TEMPLATES.filter(({ category }) => category === 'Files').flatMap(
  ({ endpoints }) => endpoints,
);

function read(id: string, text: string): Template {
  const result = readTemplate(id, text);
  if (result.kind === 'template') return result.template;
  throw new Error(result.problems.map((problem) => formatProblem(id, problem)).join('\n'));
}
