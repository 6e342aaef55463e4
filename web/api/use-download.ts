import { useMutation } from '@tanstack/react-query';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { tellProblem } from '../design/overlay/toasts.ts';
import { problemWords } from './refusal-words.ts';

/**
 * Saves what a path of the hub answers as a file.
 *
 * NOTE: A link could not name the workspace that is looked at: that is a header (decision 4).
 */
export function useDownload(path: string, name: string) {
  return useMutation({
    mutationFn: async () => {
      const response = await fetch(path, { headers: actingHeaders() });
      if (!response.ok) throw new Error(`the hub answered ${response.status}`);
      return await response.blob();
    },
    onSuccess: (file) => saveAs(file, name),
    onError: (error) => tellProblem(problemWords(error).title),
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
