/** Shown when a page loads for longer than a second. */
export function PageLoading() {
  return (
    <p role="status" className="p-4 text-soft">
      Loading the page…
    </p>
  );
}
