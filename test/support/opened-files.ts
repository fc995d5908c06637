/** Which files a run opens: Node's own functions are watched, SQLite's are not. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';

const WATCHED = ['openSync', 'readFileSync', 'createReadStream', 'copyFileSync'] as const;

/** The paths that are opened while something is done, without links. */
export async function openedBy(work: () => Promise<unknown>): Promise<Set<string>> {
  const opened = new Set<string>();
  const own = WATCHED.map((name) => [name, fs[name]] as const);
  for (const [name, real] of own) {
    const watched = (path: unknown, ...rest: unknown[]): unknown => {
      if (typeof path === 'string' && path !== '') opened.add(resolve(path));
      return (real as (...args: unknown[]) => unknown)(path, ...rest);
    };
    Object.assign(fs, { [name]: watched });
  }
  syncBuiltinESMExports();
  try {
    await work();
    return opened;
  } finally {
    Object.assign(fs, Object.fromEntries(own));
    syncBuiltinESMExports();
  }
}
