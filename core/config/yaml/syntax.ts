import { Composer, type CST, type Document, isScalar, Lexer, type ParsedNode, Parser, visit } from 'yaml';
import type { UnreadableText } from './readable-text.ts';
import { explainMistake, type Mistake } from './syntax-message.ts';
import type { TextPosition } from './text-position.ts';

/** The limit of nesting. It is far deeper than any config, and safe for code that walks the document recursively. */
const MAX_DEPTH = 40;

/** NOTE: Without an explicit schema a `%YAML 1.1` line would turn `yes` into a boolean. */
const OPTIONS = {
  schema: 'core',
  resolveKnownTags: false,
  uniqueKeys: false,
} as const;

export type ParsedSyntax =
  | { readonly kind: 'root'; readonly root: ParsedNode | null }
  | { readonly kind: 'problems'; readonly problems: readonly UnreadableText[] };

/** Parses one YAML 1.2 document. Reports only the first mistake of each line, because the others mostly follow from it. */
export function parseSyntax(text: string, positionOf: (offset: number) => TextPosition): ParsedSyntax {
  const cst = tokenize(text);
  if (cst.kind === 'too_deep') {
    const message = `nested more than ${MAX_DEPTH} levels deep`;
    return { kind: 'problems', problems: [{ offset: cst.offset, message }] };
  }
  const composed = new Composer(OPTIONS).compose(cst.tokens, true, text.length);
  const documents = [...composed] as Document.Parsed[];
  const problems = firstOfEachLine(documents.flatMap(mistakesIn), positionOf).map((mistake) =>
    explainMistake(text, mistake),
  );
  const second = documents[1];
  if (second)
    problems.push({ offset: second.range[0], message: 'a second document begins here; one expected' });
  if (problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'root', root: documents[0]?.contents ?? null };
}

type Tokenized =
  | { readonly kind: 'tokens'; readonly tokens: readonly CST.Token[] }
  | { readonly kind: 'too_deep'; readonly offset: number };

/** The parser keeps a stack of its own and cannot overflow. Later code recurses, so the depth is limited here. */
function tokenize(text: string): Tokenized {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) return { kind: 'too_deep', offset: parser.offset - 1 };
  }
  tokens.push(...parser.end());
  return { kind: 'tokens', tokens };
}

function mistakesIn(composed: Document.Parsed): Mistake[] {
  return [...composed.errors, ...composed.warnings].map(({ code, message, pos: [offset] }) => {
    if (!/^Missing closing ["']/.test(message)) return { code, message, offset };
    return { code: 'UNCLOSED_QUOTE', message, offset: openingQuote(composed, offset) };
  });
}

/** The library reports a quote that is never closed at the end of the file. People look for its start. */
function openingQuote(composed: Document.Parsed, end: number): number {
  let opening = end;
  visit(composed, {
    Scalar(_key, node) {
      if (!isScalar(node) || node.range?.[1] !== end) return undefined;
      opening = node.range[0];
      return visit.BREAK;
    },
  });
  return opening;
}

function firstOfEachLine(
  mistakes: readonly Mistake[],
  positionOf: (offset: number) => TextPosition,
): readonly Mistake[] {
  const byLine = new Map<number, Mistake>();
  for (const mistake of mistakes) {
    const { line } = positionOf(mistake.offset);
    const known = byLine.get(line);
    if (!known || mistake.offset < known.offset) byLine.set(line, mistake);
  }
  return [...byLine.values()];
}
