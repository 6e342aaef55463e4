import type { DraftProblems } from './draft-problems.ts';
import type { EndpointDraft } from './endpoint-draft.ts';

interface FieldScopeParts {
  readonly draft: EndpointDraft;
  readonly lockedFields: readonly string[];
  readonly problems: DraftProblems;
  readonly refused: DraftProblems;
  readonly onChange: (field: string, draft: EndpointDraft) => void;
}

const LOCKED = "Defined in the agent's svc.yaml. Edit it there.";

/** The shared state of the groups of fields of a form: the draft, its changes and its problems. */
export class FieldScope {
  readonly #parts: FieldScopeParts;

  constructor(parts: FieldScopeParts) {
    this.#parts = parts;
  }

  get draft(): EndpointDraft {
    return this.#parts.draft;
  }

  /** Sets a field; `path` is the key of its problems, where that differs from the name of the field. */
  set<Name extends keyof EndpointDraft>(field: Name, value: EndpointDraft[Name], path: string = field): void {
    this.#parts.onChange(path, { ...this.#parts.draft, [field]: value });
  }

  /** Why a field is locked; undefined: it is not. */
  why(field: string): string | undefined {
    return this.#parts.lockedFields.includes(field) ? LOCKED : undefined;
  }

  /** The problems of a field in one text. */
  problem(field: string): string | undefined {
    const { problems, refused, draft } = this.#parts;
    const found = problems.get(field) ?? refused.get(field);
    if (found === undefined) return undefined;
    const text = field === 'command' ? draft.command : '';
    return found.map(({ message, offset }) => message + placeWords(text, offset)).join('. ');
  }
}

const EXCERPT_CHARS = 16;

/** The position of a problem in its text: line, column and an excerpt. */
function placeWords(text: string, offset: number | undefined): string {
  if (offset === undefined || text === '') return '';
  const before = text.slice(0, offset).split('\n');
  const rest = text.slice(offset, offset + EXCERPT_CHARS).split('\n', 1)[0] ?? '';
  const line = before.length > 1 ? `line ${before.length}, ` : '';
  return ` (${line}column ${(before.at(-1)?.length ?? 0) + 1}${rest === '' ? '' : `: ${rest}`})`;
}
