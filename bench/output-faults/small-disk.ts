/** A file system that has room for some pages, where the system lets one be mounted. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a page, which is what such a file system gives away at a time. */
export const PAGE = 4096;
const SIZE = '8m';
/** What takes the rest of it. */
export const FILLER = 'filler';

export class SmallDisk {
  private constructor(readonly path: string) {}

  /** @returns null where nothing may be mounted */
  static mount(path: string): SmallDisk | null {
    mkdirSync(path);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', path]);
    return status === 0 ? new SmallDisk(path) : null;
  }

  /** Removes all that is there, and leaves room for some pages. */
  leave(pages: number): void {
    for (const name of readdirSync(this.path)) rmSync(join(this.path, name), { recursive: true });
    const { bfree, bsize } = statfsSync(this.path);
    writeFileSync(join(this.path, FILLER), Buffer.alloc(bfree * bsize - pages * PAGE));
  }

  /** Also where a process still has a file of it open. */
  unmount(): void {
    spawnSync('umount', ['-l', this.path]);
  }
}
