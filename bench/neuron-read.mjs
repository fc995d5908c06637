/**
 * Reads a profile to its end and makes all of its records, which nobody takes: what a reader alone costs.
 *
 *   node bench/neuron-read.mjs FILE.ntff
 */
import { open } from 'dprof-cli';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node bench/neuron-read.mjs FILE');
let count = 0;
for await (const record of await open(path)) if (record.type !== 'end') count++;
process.stdout.write(`${count} records\n`);
