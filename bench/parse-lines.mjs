/**
 * The least that reading records can cost: JSON.parse of each line, and nothing made of it.
 *
 *   node bench/parse-lines.mjs RECORDS.dict
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node bench/parse-lines.mjs RECORDS.dict');
let kernels = 0;
for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
  if (JSON.parse(line).type === 'kernel') kernels++;
}
process.stdout.write(`${kernels} kernels\n`);
