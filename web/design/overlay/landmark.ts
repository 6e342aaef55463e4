import { type RefCallback, useCallback, useState } from 'react';

/**
 * Where what floats beside an element belongs in the page: the part of it that has a name for those who hear it, such as
 * the header, or the dialog. `mark` is the ref of the element.
 */
export function useLandmark(): {
  readonly landmark: HTMLElement | null;
  readonly mark: RefCallback<HTMLElement>;
} {
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  const mark = useCallback((element: HTMLElement | null) => {
    setLandmark(element?.closest<HTMLElement>('[role=dialog], main, header, nav') ?? null);
  }, []);
  return { landmark, mark };
}
