/** Preloaded where TypeScript runs as it is, in all threads: tsx by itself sees to the main thread alone. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await import('tsx');
else (await import('tsx/esm/api')).register();
