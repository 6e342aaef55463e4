import { Toast } from '@base-ui/react/toast';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { classes } from '../classes.ts';
import { X } from '../icons.tsx';
import { receiveToasts, type ToastLink } from './toasts.ts';

const DONE_MS = 4_000;

/** The toasts of the page, loaded with the first one. */
export function Toasts() {
  return (
    <Toast.Provider limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-3 bottom-16 z-50 flex w-[calc(100vw-24px)] max-w-sm flex-col gap-2 sm:bottom-3">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts: shown, add } = Toast.useToastManager<ToastLink>();
  useEffect(
    () =>
      receiveToasts(({ kind, link, ...message }) => {
        add({
          ...message,
          type: kind,
          ...(link && { data: link }),
          ...(kind === 'problem' ? STAYS : { timeout: DONE_MS }),
        });
      }),
    [add],
  );
  return shown.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      data-toast
      className={classes(
        'flex items-start gap-3 rounded border bg-raised p-3 shadow-float',
        toast.type === 'problem' ? 'border-bad' : 'border-line',
      )}
    >
      <Toast.Content className="min-w-0 grow">
        <Toast.Title className="font-semibold wrap-anywhere" />
        <Toast.Description className="text-sm text-soft wrap-anywhere" />
        {toast.data && (
          <Link to={toast.data.path} className="text-sm text-accent hover:underline">
            {toast.data.label}
          </Link>
        )}
      </Toast.Content>
      <Toast.Close aria-label="Close" className="cursor-pointer self-start p-1 text-soft hover:text-ink">
        <X className="size-4" />
      </Toast.Close>
    </Toast.Root>
  ));
}

const STAYS = { timeout: 0, priority: 'high' } as const;
