import { parseConfig } from '../config/parse-config.ts';
import type { ConfigProblem } from '../config/problem.ts';
import { isSlug } from '../endpoint/slug.ts';
import type { Template } from './template.ts';

/** A template, or all problems of its file. */
export type ReadTemplate =
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'problems'; readonly problems: readonly ConfigProblem[] };

/**
 * Reads the file of a template: a `svc.yaml` with the key `template` and at least one endpoint.
 *
 * Warnings are problems here, because others copy a template. Never throws, whatever the text.
 */
export function readTemplate(templateId: string, text: string): ReadTemplate {
  const parsed = parseConfig(text);
  if (parsed.kind === 'problems') return parsed;
  const { template: about, endpoints } = parsed.config;
  const problems = [
    ...(isSlug(templateId)
      ? []
      : [ofFile(`"${templateId}" is no template id: lower-case letters, digits, "_" and "-" expected`)]),
    ...(about ? [] : [ofFile('key "template" is missing: name, description, tags and category expected')]),
    ...parsed.warnings,
  ];
  if (!about || problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'template', template: { templateId, ...about, endpoints, yaml: text } };
}

function ofFile(message: string): ConfigProblem {
  return { message, line: 1, column: 1, path: '' };
}
