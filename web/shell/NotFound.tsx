import { Link } from '@tanstack/react-router';
import { Page } from '../design/Page.tsx';

export function NotFound() {
  return (
    <Page title="Page not found">
      <p>
        <Link to="/" className="text-accent underline">
          Go to Now
        </Link>
      </p>
    </Page>
  );
}
