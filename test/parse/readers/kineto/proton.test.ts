/** Traces of Triton's Proton: a document for each stream, one a line, with one clock. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, kernelsOf } from '../../../support/profile-records.js';

const event = (name: string, stream: number, ts: number, dur: number, stack: readonly string[]) => ({
  ...{ args: { call_stack: stack }, cat: 'kernel', dur, name, ph: 'X', tid: stream, ts },
});

describe('Traces of Proton', () => {
  it('give the kernels of all streams in order of start time, with the scopes around each', () => {
    const streams = [
      [
        event('matmul', 7, 0, 2.048, ['ROOT', 'step', 'layer0', 'matmul']),
        event('softmax', 7, 5.5, 1.024, ['ROOT', 'step', 'softmax']),
      ],
      [event('copy_kernel', 9, 1.25, 3, ['ROOT', 'copy_kernel'])],
    ];
    const path = freshPath('.chrome_trace');
    const line = (traceEvents: unknown): string => `${JSON.stringify({ displayTimeUnit: 'us', traceEvents })}\n`;
    writeFileSync(path, streams.map(line).join(''));
    expect(
      kernelsOf(path).map(({ name, stream, start, dur, ranges }) => [name, stream, start, dur, ranges]),
    ).to.deep.equal([
      ['matmul', 7, 0, 2048, ['step', 'layer0']],
      ['copy_kernel', 9, 1250, 3000, []],
      ['softmax', 7, 5500, 1024, ['step']],
    ]);
    expect(diagnosticsOf(path)).to.deep.equal({ 'kernel-without-launch': 3 });
  });
});
