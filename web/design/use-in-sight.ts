import { type RefObject, useEffect, useState } from 'react';

/** How far below the screen an element counts as in sight, so that its content is there when a person gets to it. */
const NEAR = '200px';

/** Whether the element is or was in sight. What stands below the first screen of a phone can wait until then. */
export function useInSight(element: RefObject<HTMLElement | null>): boolean {
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    if (isInSight || element.current === null) return;
    const observer = new IntersectionObserver(
      (seen) => seen.some((one) => one.isIntersecting) && setInSight(true),
      { rootMargin: NEAR },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isInSight]);
  return isInSight;
}
