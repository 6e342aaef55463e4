/** Whether the view follows the end of growing output, and its scroll position at the last decision. */
export interface FollowPosition {
  readonly isFollowing: boolean;
  readonly top: number;
}

export interface ScrollPlace {
  readonly top: number;
  readonly height: number;
  readonly total: number;
}

/** Tolerance for fractions of pixels and a margin: a view this close to the end is at the end. */
const NEAR_END_PX = 8;

/**
 * After a scroll event: moving up stops following, moving down to the end starts it again.
 *
 * The view records each of its own jumps in `top`, so an upward movement comes from the person or from dropped output. An
 * event without a movement reports such a jump: it may arrive after the person has paused, and changes nothing.
 */
export function afterScroll(
  { isFollowing, top: before }: FollowPosition,
  place: ScrollPlace,
): FollowPosition {
  const { top, height, total } = place;
  if (top + height >= total - NEAR_END_PX) return { isFollowing: isFollowing || top > before, top };
  return { isFollowing: isFollowing && top >= before, top };
}
