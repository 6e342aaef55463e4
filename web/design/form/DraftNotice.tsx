import { useBlocker } from '@tanstack/react-router';
import { Button } from '../Button.tsx';
import { Confirm } from '../overlay/Confirm.tsx';
import type { KeptDraft } from './use-kept-draft.ts';

/** The person has agreed to leave: the other forms of the page are asked within the same task. */
let isLeaving = false;

function leave(proceed: (() => void) | undefined): void {
  isLeaving = true;
  setTimeout(() => {
    isLeaving = false;
  });
  proceed?.();
}

/** Says that a form shows a restored draft, and asks before its page is left with changes. One question is enough for all forms of a page. */
export function DraftNotice({
  kept,
}: {
  readonly kept: Pick<KeptDraft<unknown>, 'isChanged' | 'isRestored' | 'discard'>;
}) {
  const { isChanged, isRestored, discard } = kept;
  const blocker = useBlocker({
    // A change of the search or the hash stays on the page of the form.
    shouldBlockFn: ({ current, next }) => isChanged && !isLeaving && current.pathname !== next.pathname,
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <>
      {isRestored && (
        <p role="status" className="flex flex-wrap items-center gap-x-3 rounded bg-waiting-wash px-3 py-1">
          Your unsaved changes are restored.
          <Button kind="plain" onClick={discard}>
            Discard changes
          </Button>
        </p>
      )}
      <Confirm
        isOpen={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title="Leave without saving?"
        action="Leave page"
        isHarmless
        onConfirm={() => leave(blocker.proceed)}
      >
        <p>
          Your changes are not saved. This tab keeps them, except secrets: open the page again to continue.
        </p>
      </Confirm>
    </>
  );
}
