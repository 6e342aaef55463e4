import { readApiError } from '@svc/core/api/client/api-error';
import { useMutation } from '@tanstack/react-query';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { signInAgain } from '../account/sign-in-again.ts';
import { showProblem } from '../design/overlay/toasts.ts';
import { Unreachable } from './client.ts';
import { problemWords } from './refusal-words.ts';

/**
 * Saves the response of a path of the hub as a file.
 *
 * NOTE: A plain link cannot send the header that names the workspace (decision 4, the workspace of a request).
 */
export function useDownload(path: string, name: string) {
  return useMutation({
    mutationFn: () => readFile(path),
    onSuccess: (file) => saveAs(file, name),
    onError(error) {
      const { title, advice } = problemWords(error);
      showProblem(title, advice);
    },
  });
}

/** A large file may take long, so only a broken connection ends the request. */
async function readFile(path: string): Promise<Blob> {
  const response = await fetch(path, { headers: actingHeaders() }).catch(unreachable);
  if (response.status === 401) signInAgain();
  if (!response.ok)
    throw readApiError(response.status, await response.text(), (header) => response.headers.get(header));
  return await response.blob().catch(unreachable);
}

function unreachable(cause: unknown): never {
  throw new Unreachable('the hub cannot be reached', { cause });
}

function saveAs(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
