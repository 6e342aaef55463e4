import { useMutation } from '@tanstack/react-query';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { showProblem } from '../design/overlay/toasts.ts';
import { problemWords } from './refusal-words.ts';

/**
 * Saves the response of a path of the hub as a file.
 *
 * NOTE: A plain link cannot send the header that names the workspace (decision 4, the workspace of a request).
 */
export function useDownload(path: string, name: string) {
  return useMutation({
    mutationFn: async () => {
      const response = await fetch(path, { headers: actingHeaders() });
      if (!response.ok) throw new Error(`the hub returned status ${response.status}`);
      return await response.blob();
    },
    onSuccess: (file) => saveAs(file, name),
    onError: (error) => showProblem(problemWords(error).title),
  });
}

function saveAs(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
