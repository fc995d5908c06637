/** Preload (`node --import`): the second worker thread of a process ends while it works. */
import { isMainThread, threadId } from 'node:worker_threads';

if (!isMainThread && threadId === 2) setTimeout(() => process.exit(7), 20);
