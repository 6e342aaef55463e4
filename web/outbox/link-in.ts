/** What the reader of a letter is to follow: its action, which stands between empty lines, the words above the address. */
export function linkIn(text: string): string | undefined {
  return /(?:^|\n\n)[^\n]+:\n(https?:\/\/\S+)\n(?:\n|$)/.exec(text)?.[1];
}
