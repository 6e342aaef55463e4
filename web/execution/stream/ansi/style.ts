/** One of the 16 theme colours by number, or any other colour as `r g b`. */
export type Colour = number | string;

/** A text style of a terminal (ECMA-48, SGR), without hidden and blinking text. */
export interface TextStyle {
  readonly ink?: Colour | undefined;
  readonly paper?: Colour | undefined;
  readonly bold?: true | undefined;
  readonly dim?: true | undefined;
  readonly italic?: true | undefined;
  readonly underline?: true | undefined;
  readonly struck?: true | undefined;
  readonly inverse?: true | undefined;
}

export const PLAIN: TextStyle = Object.freeze({});

const PARTS = ['ink', 'paper', 'bold', 'dim', 'italic', 'underline', 'struck', 'inverse'] as const;

export function isSameStyle(one: TextStyle, other: TextStyle): boolean {
  return one === other || PARTS.every((part) => one[part] === other[part]);
}

const THEMED = 8;
const BRIGHT = { bold: undefined, dim: undefined } as const;

/** The style after one `ESC [ … m`; `parameters` is the text between the bracket and the m. */
export function applySgr(style: TextStyle, parameters: string): TextStyle {
  let next = style;
  const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, used } = extendedColour(codes, at + 1);
      at += used;
      if (colour !== undefined) next = { ...next, [code === 38 ? 'ink' : 'paper']: colour };
    } else next = applyCode(next, code);
  }
  return isPlain(next) ? PLAIN : next;
}

const CODES: ReadonlyMap<number, TextStyle> = new Map<number, TextStyle>([
  [1, { bold: true }],
  [2, { dim: true }],
  [3, { italic: true }],
  [4, { underline: true }],
  [7, { inverse: true }],
  [9, { struck: true }],
  [21, { underline: true }],
  [22, BRIGHT],
  [23, { italic: undefined }],
  [24, { underline: undefined }],
  [27, { inverse: undefined }],
  [29, { struck: undefined }],
  [39, { ink: undefined }],
  [49, { paper: undefined }],
]);

function applyCode(style: TextStyle, code: number): TextStyle {
  if (code === 0) return PLAIN;
  const change = CODES.get(code) ?? themed(code);
  return change === undefined ? style : { ...style, ...change };
}

function themed(code: number): TextStyle | undefined {
  if (code >= 30 && code <= 37) return { ink: code - 30 };
  if (code >= 40 && code <= 47) return { paper: code - 40 };
  if (code >= 90 && code <= 97) return { ink: code - 90 + THEMED };
  if (code >= 100 && code <= 107) return { paper: code - 100 + THEMED };
  return undefined;
}

/** `5;n` or `2;r;g;b` after a 38 or 48: the colour, and the count of numbers used. */
function extendedColour(
  codes: readonly number[],
  at: number,
): { readonly colour: Colour | undefined; readonly used: number } {
  if (codes[at] === 5) return { colour: indexed(codes[at + 1]), used: 2 };
  if (codes[at] !== 2) return { colour: undefined, used: 0 };
  const parts = codes.slice(at + 1, at + 4);
  const isColour = parts.length === 3 && parts.every((part) => part >= 0 && part <= 255);
  return { colour: isColour ? parts.join(' ') : undefined, used: 4 };
}

const CUBE = [0, 95, 135, 175, 215, 255] as const;
const CUBE_FIRST = 16;
const GREYS_FIRST = 232;

/** The palette of 256 colours: 16 of the theme, a cube of 6 × 6 × 6, then greys. */
function indexed(index: number | undefined): Colour | undefined {
  if (index === undefined || !Number.isInteger(index) || index < 0 || index > 255) return undefined;
  if (index < CUBE_FIRST) return index;
  if (index >= GREYS_FIRST) {
    const level = 8 + (index - GREYS_FIRST) * 10;
    return `${level} ${level} ${level}`;
  }
  const place = index - CUBE_FIRST;
  const levels = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
  return levels.map((level) => CUBE[level]).join(' ');
}

function isPlain(style: TextStyle): boolean {
  return Object.values(style).every((value) => value === undefined);
}
