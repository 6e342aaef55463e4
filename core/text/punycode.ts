const BASE = 36;
const SMALLEST = 1;
const LARGEST = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_BEYOND_ASCII = 128;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A label in punycode without its `xn--`. The algorithm and the names of the variables are those of RFC 3492, 6.3. */
export function punycode(label: string): string {
  const input = Array.from(label, (char) => char.codePointAt(0) ?? 0);
  const basic = input.filter((point) => point < FIRST_BEYOND_ASCII);
  let output = String.fromCodePoint(...basic) + (basic.length > 0 ? '-' : '');
  let handled = basic.length;
  let n = FIRST_BEYOND_ASCII;
  let delta = 0;
  let bias = FIRST_BIAS;
  while (handled < input.length) {
    const next = Math.min(...input.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of input) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      output += variableLength(delta, bias);
      bias = adapted(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output;
}

function variableLength(delta: number, bias: number): string {
  let digits = '';
  let q = delta;
  for (let k = BASE; ; k += BASE) {
    const t = Math.min(Math.max(k - bias, SMALLEST), LARGEST);
    if (q < t) return digits + DIGITS.charAt(q);
    digits += DIGITS.charAt(t + ((q - t) % (BASE - t)));
    q = Math.floor((q - t) / (BASE - t));
  }
}

function adapted(first: number, points: number, isFirst: boolean): number {
  let delta = Math.floor(first / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > ((BASE - SMALLEST) * LARGEST) / 2; k += BASE) delta = Math.floor(delta / (BASE - SMALLEST));
  return k + Math.floor(((BASE - SMALLEST + 1) * delta) / (delta + SKEW));
}
