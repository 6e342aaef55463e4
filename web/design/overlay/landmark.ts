import { type RefCallback, useCallback, useState } from 'react';

/**
 * The landmark around an element (header, main, dialog), as the container of what floats beside it: axe requires all content
 * to be in a landmark. `mark` is the ref of the element.
 */
export function useLandmark(): {
  readonly landmark: HTMLElement | null;
  readonly mark: RefCallback<HTMLElement>;
} {
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  const mark = useCallback((element: HTMLElement | null) => {
    setLandmark(element?.closest<HTMLElement>('[role=dialog], dialog, main, header, nav') ?? null);
  }, []);
  return { landmark, mark };
}
