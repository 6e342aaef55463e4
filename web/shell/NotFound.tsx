import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <section className="p-4 lg:px-6">
      <h1 className="text-lg">Page not found</h1>
      <p className="mt-1 text-soft">
        <Link to="/" className="text-accent underline">
          Go to Now
        </Link>
      </p>
    </section>
  );
}
