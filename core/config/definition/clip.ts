const LONGEST = 60;

/** A text for a message: whole, or its beginning. */
export function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
