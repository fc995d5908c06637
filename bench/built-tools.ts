/** The tools of this checkout, as they are built. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of the project. */
export const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Whether `npm run build` has been run. */
export const built = (): boolean => existsSync(fromRoot('dist/dparse.js')) && existsSync(fromRoot('dist/dprof.js'));
