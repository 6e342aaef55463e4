import type { DraftProblems } from './draft-problems.ts';
import type { EndpointDraft } from './endpoint-draft.ts';

interface FieldScopeParts {
  readonly draft: EndpointDraft;
  readonly lockedFields: readonly string[];
  readonly problems: DraftProblems;
  readonly refused: DraftProblems;
  readonly onChange: (field: string, draft: EndpointDraft) => void;
}

const LOCKED = 'The file of its agent decides this: it is changed there.';

/** What the groups of fields of a form share: the draft, how it is changed, and what is wrong with it. */
export class FieldScope {
  readonly #parts: FieldScopeParts;

  constructor(parts: FieldScopeParts) {
    this.#parts = parts;
  }

  get draft(): EndpointDraft {
    return this.#parts.draft;
  }

  /** Sets a field; `told` is the name under which problems with it are told, where that is another. */
  set<Name extends keyof EndpointDraft>(field: Name, value: EndpointDraft[Name], told: string = field): void {
    this.#parts.onChange(told, { ...this.#parts.draft, [field]: value });
  }

  /** Why a field cannot be changed here; undefined: it can. */
  why(field: string): string | undefined {
    return this.#parts.lockedFields.includes(field) ? LOCKED : undefined;
  }

  /** What is wrong with a field, all in one text. */
  problem(field: string): string | undefined {
    const { problems, refused, draft } = this.#parts;
    const found = problems.get(field) ?? refused.get(field);
    if (found === undefined) return undefined;
    const text = field === 'command' ? draft.command : '';
    return found.map(({ message, offset }) => message + placeWords(text, offset)).join('. ');
  }
}

const SHOWN_AFTER = 16;

/** Where in a text of some length a problem is: its line and column, and what stands there. */
function placeWords(text: string, offset: number | undefined): string {
  if (offset === undefined || text === '') return '';
  const before = text.slice(0, offset).split('\n');
  const rest = text.slice(offset, offset + SHOWN_AFTER).split('\n', 1)[0] ?? '';
  const line = before.length > 1 ? `line ${before.length}, ` : '';
  return ` (${line}column ${(before.at(-1)?.length ?? 0) + 1}${rest === '' ? '' : `: ${rest}`})`;
}
