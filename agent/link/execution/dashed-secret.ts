import type { Program } from '@svc/core/endpoint/program';

/**
 * Finds a managed secret that would become an option: it begins a word, and its value begins with `-`. Its owner may choose
 * such a value (decision 8, leading dash and sizes of values), but an agent that does not trust its hub cannot verify who
 * chose it (decision 60, the file is a floor).
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
