import type { Program } from '@svc/core/endpoint/program';

/**
 * A managed secret that would become an option: it begins a word, and its value begins with `-`. Its owner may choose such a
 * value (decision 8), but an agent that does not believe its hub cannot know who chose it (decision 60).
 */
export function dashedSecret(
  { words }: Pick<Program, 'words'>,
  secrets: Readonly<Record<string, string>>,
): string | undefined {
  for (const { pieces, afterDashes } of words) {
    if (afterDashes) continue;
    for (const piece of pieces) {
      if (piece.kind === 'text' && piece.text !== '') break;
      if (piece.kind === 'secret' && secrets[piece.name]?.startsWith('-')) return piece.name;
    }
  }
  return undefined;
}
