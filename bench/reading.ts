/**
 * Measures how fast a database's ranges and kernels are read by one thread, by two independent threads, and by two threads
 * that share the decoding.
 *
 *   npm run bench reading -- net.sqlite     a report of Nsight Systems, exported
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { parentPort, Worker } from 'node:worker_threads';
import { blockMemory, SharedBlocks, type BlockMemory } from '../src/parse/sqlite/shared-blocks.js';
import { SqliteFile } from '../src/parse/sqlite/sqlite.js';
import { IS_RANGE, NVTX } from '../src/parse/readers/nsight/nvtx.js';
import { fromRoot } from './built-tools.js';
import { ratio, table } from './report.js';

const ROUNDS = 9;
const RANGES = ['start', 'end', 'globalTid', 'textId', 'domainId', 'eventType'];
const KERNELS = ['start', 'end', 'deviceId', 'streamId', 'correlationId', 'globalPid', 'graphNodeId', 'contextId', 'gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ', 'demangledName', 'registersPerThread']; // prettier-ignore

interface Request {
  readonly path: string;
  readonly memory: BlockMemory | null;
  readonly thread: number;
}

/** Reads both tables. @returns the sum of all numbers, so that every one is looked at */
function read({ path, memory, thread }: Request): number {
  const file = SqliteFile.open(path);
  if (memory !== null) file.shared = new SharedBlocks(memory, thread);
  let sum = 0;
  const take = (cells: readonly number[]): void => {
    for (const cell of cells) if (!Number.isNaN(cell)) sum += cell;
  };
  file.eachNumbers(NVTX, RANGES, take, IS_RANGE);
  file.eachNumbers('CUPTI_ACTIVITY_KIND_KERNEL', KERNELS, take);
  file.close();
  return sum;
}

/** Reads in all given threads at once. @returns elapsed seconds and CPU seconds */
async function secondsOf(path: string, workers: readonly Worker[], isShared: boolean): Promise<[number, number]> {
  const memory = isShared ? blockMemory(workers.length) : null;
  const [before, used] = [performance.now(), process.cpuUsage()];
  const sums = workers.map(async (worker, thread) => {
    worker.postMessage({ path, memory, thread } satisfies Request);
    return ((await once(worker, 'message')) as [number])[0];
  });
  if (new Set(await Promise.all(sums)).size !== 1) throw new Error('the threads read different numbers');
  const { user, system } = process.cpuUsage(used);
  return [(performance.now() - before) / 1000, (user + system) / 1e6];
}

async function compare(path: string): Promise<void> {
  const workers = [1, 2].map(
    () => new Worker(new URL(import.meta.url), { execArgv: ['--import', fromRoot('tools/from-sources.mjs')] }),
  );
  const ways = [
    { what: 'one thread', threads: workers.slice(0, 1), isShared: false },
    { what: 'two independent threads', threads: workers, isShared: false },
    { what: 'two threads that share the decoding', threads: workers, isShared: true },
  ].map((way) => ({ ...way, seconds: [] as number[], processor: [] as number[] }));
  // The first round compiles the code.
  for (let round = 0; round <= ROUNDS; round++)
    for (const way of ways) {
      const [seconds, processor] = await secondsOf(path, way.threads, way.isShared);
      if (round === 0) continue;
      way.seconds.push(seconds);
      way.processor.push(processor);
    }
  await Promise.all(workers.map((worker) => worker.terminate()));
  const alone = Math.min(...(ways[0]?.seconds ?? []));
  const rows = ways.map(({ what, seconds, processor }) => {
    const [least, median] = [Math.min(...seconds), seconds.sort((a, b) => a - b)[ROUNDS >> 1] ?? NaN];
    return [what, least.toFixed(3), ratio(least, alone), median.toFixed(3), Math.min(...processor).toFixed(3)];
  });
  const head = ['', 'least s', 'ratio', 'median s', 'least CPU s'];
  process.stdout.write(`${availableParallelism()} cores\n${table([head, ...rows])}\n`);
}

const port = parentPort;
if (port !== null) port.on('message', (request: Request) => port.postMessage(read(request)));
else {
  const [path] = process.argv.slice(2);
  if (path === undefined) throw new Error('name a database: npm run bench reading -- net.sqlite');
  await compare(path);
}
