/** The length of a text in bytes of UTF-8. Half of a surrogate pair counts as U+FFFD, three bytes. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isPairAt(text, i)) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isPairAt(text: string, at: number): boolean {
  const codePoint = text.codePointAt(at);
  return codePoint !== undefined && codePoint > 0xffff;
}
