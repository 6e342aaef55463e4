import { readTemplate } from '@svc/core/template/read-template';
import type { Template } from '@svc/core/template/template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';

let templates: readonly Template[] | undefined;

/** The templates of this program, by category and id; read when somebody asks for the first time, which takes a moment. */
export function gallery(): readonly Template[] {
  templates ??= [...TEMPLATE_TEXTS].map(([id, text]) => read(id, text));
  return templates;
}

/** The tests of the gallery hold each file against the rules: one that cannot be read is a bug. */
function read(id: string, text: string): Template {
  const read = readTemplate(id, text);
  if (read.kind === 'template') return read.template;
  throw new Error(`template ${id}: ${read.problems.map(({ message }) => message).join('; ')}`);
}
