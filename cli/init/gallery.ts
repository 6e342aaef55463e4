import { suggest } from '@svc/core/suggest';
import { readTemplate } from '@svc/core/template/read-template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { Failure } from '../failure.ts';
import type { FactRow } from '../terminal.ts';

/** The text of a template of the gallery in this program: a whole `svc.yaml`. Throws a `Failure` for an unknown id. */
export function templateText(id: string): string {
  const text = TEMPLATE_TEXTS.get(id);
  if (text !== undefined) return text;
  const meant = suggest(id, [...TEMPLATE_TEXTS.keys()]);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  throw new Failure(`there is no template "${id}"${hint}`, { tip: 'svc init --list' });
}

/** One row for each template of the gallery: its id, its name, and the words with which the gallery finds it. */
export function galleryRows(): FactRow[] {
  return [...TEMPLATE_TEXTS].flatMap(([id, text]) => {
    const read = readTemplate(id, text);
    if (read.kind !== 'template') return [];
    const { name, category, tags } = read.template;
    return [{ label: id, text: `${category}: ${name} (${tags.join(', ')})` }];
  });
}
