/** The action link of a mail: its URL stands on a line of its own, below a label that ends in a colon, between empty lines. */
export function linkIn(text: string): string | undefined {
  return /(?:^|\n\n)[^\n]+:\n(https?:\/\/\S+)\n(?:\n|$)/.exec(text)?.[1];
}
