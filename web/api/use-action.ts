import type { ClientRoute } from '@svc/core/api/client/api-call';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { tellDone, tellProblem } from '../design/overlay/toasts.ts';
import { api } from './client.ts';
import type { Answer } from './read.ts';
import { problemWords } from './refusal-words.ts';

type Call<Name extends ClientRoute> = Parameters<ApiClient[Name]>[0];

interface ActionOptions<Name extends ClientRoute> {
  /** The routes whose answers are others now; they are read again before `onDone`. */
  readonly changes?: readonly ClientRoute[];
  readonly onDone?: (answer: Answer<Name>, call: Call<Name>) => void;
  /** Said for a moment when it is done: "The key ci is revoked". */
  readonly told?: (answer: Answer<Name>, call: Call<Name>) => string;
  /** The form shows what went wrong itself, beside its fields. */
  readonly isProblemShown?: boolean;
}

/** Something that a person does: `const revoke = useAction('revokeApiKey', {…})`, then `revoke.mutate({ parameters })`. */
export function useAction<Name extends ClientRoute>(name: Name, options: ActionOptions<Name> = {}) {
  const queries = useQueryClient();
  const { changes = [], onDone, told, isProblemShown = false } = options;
  return useMutation<Answer<Name>, Error, Call<Name>>({
    mutationKey: [name],
    mutationFn: (call) => (api[name] as (call: unknown) => Promise<Answer<Name>>)(call),
    async onSuccess(answer, call) {
      await Promise.all(changes.map((changed) => queries.invalidateQueries({ queryKey: [changed] })));
      if (told !== undefined) tellDone(told(answer, call));
      onDone?.(answer, call);
    },
    onError(error) {
      if (isProblemShown) return;
      const { title, advice } = problemWords(error);
      tellProblem(title, advice);
    },
  });
}
