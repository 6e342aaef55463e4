/** Shown when a page takes long to load; the router waits a second before. */
export function PageLoading() {
  return (
    <p role="status" className="p-4 text-soft">
      Loading the page…
    </p>
  );
}
