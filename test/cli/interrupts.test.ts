/** Runs that a signal ends leave nothing behind, and end by that signal. */
import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DUCKDB } from '../support/duckdb.js';
import { freshPath } from '../support/fresh-path.js';
import { writeRecords } from '../../bench/growth/records.js';
import { interruptedRun, SIGNALS } from '../support/interrupted.js';
import { commandOf } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';
import { itWithProcess } from '../support/sets.js';

/**
 * Parts of a run's time at which it is ended: most of it is the start of the tool. Each run takes two; 100 points are for
 * `npm run bench signals`.
 */
const POINTS = [
  [0.65, 0.95],
  [0.5, 0.8],
] as const;

/** Records over which answers compute once all is read, `html` for seconds: its time grows with their square. */
const DEVICES = 900;

describe('signals', () => {
  itWithProcess('end a computation, and leave nothing of it', async () => {
    const folder = freshPath('-signals');
    mkdirSync(folder);
    const records = join(folder, 'devices.jsonl');
    writeRecords('devices', DEVICES, records);
    for (const [i, command] of [['html'], ['ranks'], ['partial'], ['job', '--task', '0/1']].entries()) {
      const args = [...commandOf('dprof'), ...command, '-q', records];
      const run = { isJob: command[0] === 'job' };
      const { output, milliseconds } = await interruptedRun(args, null, 0, null, folder, run);
      const signal = SIGNALS[i % SIGNALS.length] ?? 'SIGINT';
      const ran = await interruptedRun(args, signal, 0.8 * milliseconds, output, folder, run);
      expect([ran.left, ran.half, ran.wrongEnd], `${command.join(' ')}: ${signal}`).to.deep.equal([[], [], null]);
    }
  });

  itWithProcess('leave neither a temporary file nor a part of the output', async () => {
    const folder = freshPath('-signals');
    mkdirSync(folder);
    const [trace, database] = [join(ROOT, 'samples/lenet.pt.trace.json.gz'), join(folder, 'net.sqlite.gz')];
    writeFileSync(database, gzipSync(readFileSync(join(ROOT, 'samples/transformer.nsys.sqlite'))));
    const commands = [
      [...commandOf('dparse'), trace],
      [...commandOf('dparse'), '-j', '2', database, trace],
      [...commandOf('dparse'), '-f', 'parquet', trace],
      [...commandOf('dprof'), 'html', database],
      ...(DUCKDB === null ? [] : [[...commandOf('dprof'), 'sql', '-f', 'csv', 'FROM kernel', database]]),
    ];
    for (const [i, args] of commands.entries()) {
      const { output, left, half, milliseconds } = await interruptedRun(args, null, 0, null, folder);
      expect(output?.length ?? 0).to.be.greaterThan(1000);
      expect({ left, half }).to.deep.equal({ left: [], half: [] });
      const runs = (POINTS[i % 2] ?? POINTS[0]).map(async (point, j) => {
        const signal = SIGNALS[(i + j) % SIGNALS.length] ?? 'SIGINT';
        const ran = await interruptedRun(args, signal, point * milliseconds, output, folder);
        const what = `${args.slice(-3).join(' ')}: ${signal} at ${point}`;
        expect([ran.left, ran.half, ran.wrongEnd], what).to.deep.equal([[], [], null]);
      });
      await Promise.all(runs);
    }
  });
});
