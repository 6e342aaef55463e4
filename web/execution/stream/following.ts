/** Whether the view follows the end of growing output, and its scroll position at the last decision. */
export interface FollowPosition {
  readonly isFollowing: boolean;
  readonly top: number;
  /** The person pauses by going up, and the view has not moved up yet. */
  readonly isLeaving?: boolean;
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
 * event without a movement reports such a jump: it may arrive after the person has paused, and changes nothing. Until the view has
 * moved up for that person, a movement down is such a jump, too: a jump ends the smooth scrolling that has just begun.
 */
export function afterScroll(
  { isFollowing, top: before, isLeaving = false }: FollowPosition,
  place: ScrollPlace,
): FollowPosition {
  const { top, height, total } = place;
  if (isLeaving && top >= before) return { isFollowing: false, top, isLeaving };
  if (top + height >= total - NEAR_END_PX) return { isFollowing: isFollowing || top > before, top };
  return { isFollowing: isFollowing && top >= before, top };
}
