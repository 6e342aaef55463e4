import { readApiError } from '@svc/core/api/client/api-error';
import { actingHeaders } from '../../account/chosen-workspace.ts';
import { signInAgain } from '../../account/sign-in-again.ts';
import type { api } from '../../api/client.ts';
import type { RunFiles, RunValues } from './run-values.ts';

type Started = Awaited<ReturnType<typeof api.startExecutionWithFiles>>;

/** What is sent: the values and the files of a run form. */
export interface FilesCall {
  readonly slug: string;
  readonly values: RunValues;
  readonly files: RunFiles;
}

export interface FileUpload {
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts an endpoint with files. `fetch` reports no progress of an upload, so this is the one request that is none of its own.
 *
 * Throws an `ApiError` if the hub refuses, and an `Error` if the connection or the person ends the upload.
 */
export function uploadFiles(
  { slug, values, files }: FilesCall,
  { onProgress, signal }: FileUpload,
): Promise<Started> {
  const form = new FormData();
  // Values come before files (decision 76, files of a call).
  for (const [name, value] of values) form.append(name, value);
  for (const [name, file] of files) form.append(name, file);
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<Started>();
  request.open('POST', `/endpoints/${encodeURIComponent(slug)}/executions`);
  const headers = { Accept: 'application/json', 'X-Requested-With': 'svc', ...actingHeaders() };
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  request.onload = () => {
    const { status, responseText } = request;
    if (status === 401) signInAgain();
    if (status >= 200 && status < 300) resolve(JSON.parse(responseText) as Started);
    else reject(readApiError(status, responseText, (name) => request.getResponseHeader(name)));
  };
  request.onerror = () => reject(new Error('the connection broke, or the file can no longer be read'));
  request.onabort = () => reject(new Error('the upload was cancelled'));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.send(form);
  return promise;
}
