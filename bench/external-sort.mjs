/**
 * What the external sort of a device trace's rows saves, against sorting all of them in memory: peak memory and processor
 * time of both, each in a process of its own, and the ratio.
 *
 *   npm run compile && node bench/external-sort.mjs [ROWS]
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The compiled reader, which is no part of the library's surface. */
const ROWS = '../build/src/parse/readers/neuron/ntff/row-chunks.js';
const { RowChunks } = await import(new URL(ROWS, import.meta.url).href);

/** Streams, one after the other, as a trace has them. */
const STREAMS = 16;

const [rows = '10000000', chunk] = process.argv.slice(2);
if (chunk === undefined) compare(Number(rows));
else sort(Number(rows), Number(chunk));

function sort(count, chunkRows) {
  const chunks = chunkRows === 0 ? new RowChunks('rows', count) : new RowChunks('rows', count, chunkRows);
  for (let i = 0; i < count; i++) {
    const at = i % Math.ceil(count / STREAMS);
    chunks.add(at * 5000 + ((i * 7919) % 1009), 1000, Math.floor((i * STREAMS) / count) << 4, at, 0, 0);
  }
  const inOrder = chunks.inOrder();
  while (inOrder.next());
  chunks.dispose();
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stdout.write(JSON.stringify({ peak: maxRSS / 1024, seconds: (userCPUTime + systemCPUTime) / 1e6 }));
}

function compare(count) {
  const measured = [0, count].map((chunkRows) =>
    JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(count), String(chunkRows)])),
  );
  const [external, inMemory] = measured;
  const cell = ({ peak, seconds }) => `${peak.toFixed(0)} MB, ${seconds.toFixed(2)} s`;
  const ratio = (inMemory.peak / external.peak).toFixed(2);
  process.stdout.write(`external ${cell(external)}; in memory ${cell(inMemory)}; peak memory ratio ${ratio}\n`);
}
