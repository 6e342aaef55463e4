import { expect } from 'bun:test';

export const COMMIT_ID = expect.stringMatching(/^[0-9a-f]{40}$/);
export const SHORT_ID = expect.stringMatching(/^[0-9a-f]{7,}$/);
export const DATE = expect.stringMatching(/^2026-0\d-01T00:00:00(?:Z|\+00:00)$/);

/**
 * A script that makes `origin.git`, `work`, who has pushed to it, and `app`, a clone that is one commit behind on `main`.
 *
 * `main` has the commits "one", which is tagged v1.0.0, and "two"; on top of them is feature/x with "three". The addresses
 * are relative: all three can be copied to another folder.
 */
export const REPOSITORY = `
commit() {
  echo "$2" > "$1.txt"
  git add .
  GIT_AUTHOR_DATE="2026-0$3-01T00:00:00Z" GIT_COMMITTER_DATE="2026-0$3-01T00:00:00Z" git commit -qm "$2"
}
git init -q --bare -b main origin.git
git clone -q origin.git work 2>&1
cd work
git checkout -q -B main
printf '#!/bin/sh\\necho migrated\\n' > deploy.sh
chmod +x deploy.sh
commit one 'one | "quoted"' 1
git tag v1.0.0
git push -q origin main v1.0.0
git clone -q ../origin.git ../app
commit two two 2
git push -q origin main
git checkout -q -b feature/x
commit three three 3
git push -q origin feature/x
git checkout -q main
git remote set-url origin ../origin.git
git -C ../app remote set-url origin ../origin.git
`;
