/** `1 problem`, `2 problems`; `1 entry`, `2 entries`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
