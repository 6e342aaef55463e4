const WORD_BREAK = /[\s_./@-]+/;

/**
 * How well a text fits what a person typed, from 1 to 100; 0: not at all. Every typed word must fit: as the start of the
 * text or of a word, inside it, or with letters left out ("helo" fits "hello").
 */
export function matchScore(text: string, typed: string): number {
  const lower = text.toLowerCase();
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.length === 0 ? 0 : Math.min(...words.map((word) => wordScore(lower, word)));
}

function wordScore(text: string, typed: string): number {
  if (text === typed) return 100;
  if (text.startsWith(typed)) return 80;
  const words = text.split(WORD_BREAK);
  if (words.some((word) => word.startsWith(typed))) return 60;
  if (text.includes(typed)) return 40;
  const fits = typed.length >= 3 && words.some((word) => hasLetters(word, typed));
  return fits ? 20 : 0;
}

/** Whether the word begins with the first typed letter and has the others in this order, most of them typed. */
function hasLetters(word: string, typed: string): boolean {
  if (word.charAt(0) !== typed.charAt(0) || word.length > typed.length * 2) return false;
  let at = 0;
  for (const letter of word) if (letter === typed.charAt(at)) at += 1;
  return at === typed.length;
}
