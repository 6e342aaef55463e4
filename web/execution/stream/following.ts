/** Whether the view keeps to the end of growing output, and where it stood when that was last decided. */
export interface Following {
  readonly isFollowing: boolean;
  readonly top: number;
}

export interface ScrollPlace {
  readonly top: number;
  readonly height: number;
  readonly total: number;
}

/** Fractions of pixels, and a line's margin: close enough to be meant as the end. */
const NEAR_END = 8;

/**
 * After something scrolled: whoever goes up wants to read, whoever comes to the end wants to follow again.
 *
 * The view's own scrolling only goes down, so only a person goes up; where output was taken away, the end comes to the reader.
 */
export function afterScroll({ isFollowing, top: before }: Following, place: ScrollPlace): Following {
  const { top, height, total } = place;
  if (top + height >= total - NEAR_END) return { isFollowing: true, top };
  return { isFollowing: isFollowing && top >= before, top };
}
