import { readTemplate } from '@svc/core/template/read-template';
import type { Template } from '@svc/core/template/template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';

let templates: readonly Template[] | undefined;

/** The built-in templates by category and id, parsed at the first request because parsing takes a moment. */
export function gallery(): readonly Template[] {
  templates ??= [...TEMPLATE_TEXTS].map(([id, text]) => read(id, text));
  return templates;
}

/** The tests of the gallery validate each file, so an unreadable one is a bug. */
function read(id: string, text: string): Template {
  const read = readTemplate(id, text);
  if (read.kind === 'template') return read.template;
  throw new Error(`template ${id}: ${read.problems.map(({ message }) => message).join('; ')}`);
}
